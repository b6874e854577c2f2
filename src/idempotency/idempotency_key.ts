/** The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07), which is metadata in gRPC. */
import type { DescMethod } from "@bufbuild/protobuf";
import { eventAttributes, httpRules } from "../../schema/options.ts";
import { invalidArgument } from "../aip/errors.ts";

export const idempotencyKeyHeader = "idempotency-key";

/** `true` in the response to a repeated call, which was answered from the first one. */
export const replayedHeader = "idempotency-replayed";

const maxLength = 255;

/** A string of Structured Fields (RFC 9651, section 3.3.3), with nothing after it. */
const quotedPattern = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/** The key without quotes: visible characters of ASCII that cannot be mistaken for a list or for parameters. */
const barePattern = /^[!#-+\--:<-[\]-~]+$/;

const refuse = (text: string) => invalidArgument(idempotencyKeyHeader, text);

/** Reads the key. Several headers arrive as one, joined by commas. Throws INVALID_ARGUMENT. */
function readKey(header: string): string {
  const text = header.trim();
  const quoted = quotedPattern.exec(text)?.[1]?.replaceAll(/\\(.)/g, "$1");
  const key = quoted ?? text;
  if (key === "") throw refuse(`${idempotencyKeyHeader} is empty; ${form}`);
  if (key.length > maxLength)
    throw refuse(`${idempotencyKeyHeader} has more than ${maxLength} characters; ${form}`);
  if (quoted === undefined && !barePattern.test(text))
    throw refuse(`${idempotencyKeyHeader} is not one key; ${form}`);
  return key;
}

const form = `send one key of 1 to ${maxLength} characters, such as a UUID, with or without quotes`;

/** Version 2 has its number at the end of its packages. */
const isV2 = ({ parent }: DescMethod) => parent.file.proto.package.endsWith(".v2");

const isPost = (method: DescMethod) => httpRules(method).some(({ verb }) => verb === "post");

/**
 * The token service exchanges tokens for clients of OAuth, which may send any header. An exchange that writes, that of a
 * refresh token, makes its own token invalid. An answer with tokens must never be stored, so a key has no effect there.
 */
const isTokenService = ({ parent }: DescMethod) => parent.file.proto.package === "platform.oidc";

/**
 * The key of a call. Undefined without one, and for an RPC that writes nothing, because it can be repeated anyway.
 * Throws INVALID_ARGUMENT for a malformed key, and for an RPC that does not support keys.
 */
export function keyOf(method: DescMethod, headers: Headers): string | undefined {
  const header = headers.get(idempotencyKeyHeader);
  if (header === null || isTokenService(method)) return undefined;
  if (!isV2(method) || !isPost(method))
    throw refuse(
      `${method.name} does not support ${idempotencyKeyHeader}, which counts for POST in version 2; remove it`,
    );
  const key = readKey(header);
  return eventAttributes(method) ? key : undefined;
}
