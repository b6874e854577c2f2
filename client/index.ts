/** The client of Platform API for Node, browsers and Workers. It only uses web standards. */
export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { ImageContents, Referrer } from "./contents.ts";
export {
  Aborted,
  AlreadyExists,
  type Code,
  type Detail,
  FailedPrecondition,
  type FieldViolation,
  Internal,
  InvalidArgument,
  NotFound,
  PageTokenExpired,
  PermissionDenied,
  PlatformError,
  ResourceExhausted,
  type Term,
  Unauthenticated,
  Unavailable,
  Unimplemented,
  Unreachable,
  type Violation,
} from "./errors.ts";
export { etagOf } from "./etags.ts";
export { type ExchangeOptions, exchangedToken } from "./exchange.ts";
export type { FollowOptions, FollowRequest, FollowState } from "./follow.ts";
export type * from "./gen/messages.ts";
export { type OperationName, operations } from "./gen/operations.ts";
export type * from "./gen/resources.ts";
export type { HistoryOptions, HistoryRecord } from "./history.ts";
export type { Listing, Page } from "./listing.ts";
export type {
  CallOptions,
  Changes,
  JsonObject,
  Operation,
  OverrideOptions,
  UpdateOptions,
  ValidateOptions,
} from "./operation.ts";
export type { ResolvedTag } from "./resolve.ts";
export type { RateLimitWait } from "./retry.ts";
export { staticToken, type TokenRequest, type TokenSource } from "./tokens.ts";
export type { Transport } from "./transport.ts";
