/** A request of an operation as HTTP: path, query and body. */
import type { Sent } from "./connection.ts";
import type { JsonObject, Operation } from "./operation.ts";
/** The form of a uid, which stands in paths with its slashes. */
export declare const uidForm: RegExp;
/**
 * Where and how the request is sent. Throws a TypeError for a member that the operation does not
 * take, and for a variable of the path that is missing.
 */
export declare function toHttp(operation: Operation, asked: JsonObject, base: string): Sent;
