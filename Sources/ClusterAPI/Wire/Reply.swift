import HTTPServer

/// Is called once with the response to a request, or the error.
typealias Reply = @Sendable (Result<HTTPResponse, any Error>) -> Void
