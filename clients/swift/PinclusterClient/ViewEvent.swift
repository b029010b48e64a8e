import Foundation

/// An event of a watched viewport.
public enum ViewEvent: Sendable {
  /// A cell with all its annotations; none if it has become empty.
  public struct Cell: Decodable, Hashable, Sendable {
    /// The column in the grid.
    public var column: Int
    /// The row in the grid.
    public var row: Int
    /// The group whose own grid the cell is of.
    public var group: String?
    /// The annotations, in the order of the contract.
    public var annotations: [Annotation]
  }

  /// The whole view, which replaces the one before.
  public struct Whole: Decodable, Hashable, Sendable {
    /// The zoom, rounded to 1/1000.
    public var zoomLevel: Double
    /// The side of a cell in map points; nil for methods without a grid.
    public var cellMapSize: Double
    /// The number of cells along each side of the world; nil for methods without a grid.
    public var cellsPerWorld: Int
    /// The whole cells that are answered.
    public var gridRect: MapRect
    /// The number of features.
    public var featureCount: Int
    /// The version of the collection.
    public var version: Int
    /// The cells.
    public var cells: [Cell]
  }

  /// The changed cells, which replace those before.
  public struct Part: Decodable, Hashable, Sendable {
    /// The version of the collection.
    public var version: Int
    /// The number of features.
    public var featureCount: Int
    /// The cells.
    public var cells: [Cell]
  }

  case view(Whole)
  case cells(Part)
  /// The collection was dropped. No other event comes.
  case gone

  /// Nil for an event of another kind. Throws the refusal of an event `problem`.
  init?(_ name: String, _ data: Data) throws {
    let decoder = JSONDecoder()
    switch name {
    case "view": self = .view(try decoder.decode(Whole.self, from: data))
    case "cells": self = .cells(try decoder.decode(Part.self, from: data))
    case "gone": self = .gone
    case "problem": throw try decoder.decode(Problem.self, from: data)
    default: return nil
    }
  }
}

/// The annotations that a watched viewport shows now.
public struct WatchedView: Sendable {
  /// The changes of the annotations on screen by an event.
  public struct Changes: Sendable {
    /// The annotations to remove.
    public var removed: [Annotation] = []
    /// The annotations that stay, as they are now.
    public var changed: [Annotation] = []
    /// The new annotations.
    public var added: [Annotation] = []
  }

  private struct Place: Hashable {
    var column, row: Int
    var group: String?
  }

  private var cells: [Place: [Annotation]] = [:]
  /// The version of the collection that is shown.
  public private(set) var version = 0
  /// The number of features that are shown.
  public private(set) var featureCount = 0

  /// Creates it with nothing set.
  public init() {}

  /// All annotations, in no order.
  public var annotations: [Annotation] { cells.values.flatMap { $0 } }

  /// Applies an event, and returns the changes of the annotations.
  public mutating func apply(_ event: ViewEvent) -> Changes {
    var (before, after): ([Annotation], [Annotation])
    switch event {
    case .view(let whole):
      (before, cells) = (annotations, [:])
      (version, featureCount, after) = (whole.version, whole.featureCount, [])
      for cell in whole.cells { after += replace(cell).after }
    case .cells(let part):
      (version, featureCount, before, after) = (part.version, part.featureCount, [], [])
      for cell in part.cells {
        let replaced = replace(cell)
        (before, after) = (before + replaced.before, after + replaced.after)
      }
    case .gone: (before, after, cells) = (annotations, [], [:])
    }
    let old = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let ids = Set(after.map(\.id))
    var changes = Changes()
    changes.removed = before.filter { !ids.contains($0.id) }
    for annotation in after {
      guard let shown = old[annotation.id] else {
        changes.added.append(annotation)
        continue
      }
      if shown != annotation { changes.changed.append(annotation) }
    }
    return changes
  }

  private mutating func replace(
    _ cell: ViewEvent.Cell
  ) -> (before: [Annotation], after: [Annotation]) {
    let place = Place(column: cell.column, row: cell.row, group: cell.group)
    let before = cells[place] ?? []
    cells[place] = cell.annotations.isEmpty ? nil : cell.annotations
    return (before, cell.annotations)
  }
}
