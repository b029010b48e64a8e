-- A script for wrk. Sends the requests of a file in their order, a line each: the target, and behind a space the
-- GeoJSON that is put there, if any. Prints the results as numbers: requests, microseconds,
-- bytes, errors, and the median and 99th percentile in microseconds.
local requests, sent = {}, 0

function init(arguments)
  local types = { ["Content-Type"] = "application/geo+json" }
  for line in io.lines(arguments[1]) do
    local target, body = line:match("^(%S+) (.+)$")
    requests[#requests + 1] = body and wrk.format("PUT", target, types, body) or wrk.format("GET", line)
  end
end

function request()
  sent = sent % #requests + 1
  return requests[sent]
end

function done(summary, latency)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("numbers %d %d %d %d %d %d\n", summary.requests, summary.duration,
    summary.bytes, bad, latency:percentile(50), latency:percentile(99)))
end
