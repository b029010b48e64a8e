/// The parameters of libpq with which a host is reached.
typealias PostgresHost = [String: String]  // Characters: keywords of libpq
