/** The client of Platform API: for Node, browsers and Workers, with nothing but the web's own. */
export { createClient } from "./client.js";
export { Aborted, AlreadyExists, FailedPrecondition, Internal, InvalidArgument, NotFound, PageTokenExpired, PermissionDenied, PlatformError, ResourceExhausted, Unauthenticated, Unavailable, Unimplemented, Unreachable, } from "./errors.js";
export { exchangedToken } from "./exchange.js";
export { operations } from "./gen/operations.js";
export { staticToken } from "./tokens.js";
