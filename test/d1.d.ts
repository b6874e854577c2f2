/** The Workers' names for D1, for tests that import what runs in a Worker. */
type D1Database = import("@cloudflare/workers-types").D1Database;
type D1DatabaseSession = import("@cloudflare/workers-types").D1DatabaseSession;
type D1PreparedStatement = import("@cloudflare/workers-types").D1PreparedStatement;
type D1Result<T = unknown> = import("@cloudflare/workers-types").D1Result<T>;
