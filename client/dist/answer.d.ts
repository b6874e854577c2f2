import type { JsonObject, Operation } from "./operation.ts";
/** A successful answer. */
export interface Answer {
    /** Without members where the answer has no body. */
    json: JsonObject;
    headers: Headers;
}
/**
 * Reads an answer to the end. Throws the PlatformError that it tells, or Unreachable for what no
 * platform answers: a redirect, or something that is not JSON.
 */
export declare function readAnswer(response: Response, mayBeEmpty: boolean): Promise<Answer>;
/** The answer with the name that its types have, where the platform says its operator's. */
export declare function plainNames(operation: Operation, json: JsonObject, vendor: string): JsonObject;
