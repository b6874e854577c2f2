/**
 * Bodies of Connect and gRPC-Web calls: the message in them, unpacked, and its JSON with the vendor's names
 * as those of the protos and back. Connect-ES gets what is neither packed nor named otherwise.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { hasVendorName, wireJson } from "../aip/vendor_names.ts";
import { decodeUtf8, gunzipBody, readCoding } from "./request.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a body holds. */
export interface RpcBody {
  /** The message; undefined where it is for Connect-ES to say what is wrong. */
  bytes: Bytes | undefined;
  isJson: boolean;
  /** The body without compression. */
  body: Bytes;
}

/** Length of what stands before a message: a byte of flags and four of length. */
const frameHeadBytes = 5;

function frame(flags: number, message: Uint8Array): Bytes {
  const bytes = new Uint8Array(frameHeadBytes + message.length);
  new DataView(bytes.buffer).setUint8(0, flags);
  new DataView(bytes.buffer).setUint32(1, message.length);
  bytes.set(message, frameHeadBytes);
  return bytes;
}

const concatBytes = async (...parts: Bytes[]) =>
  new Uint8Array(await new Blob(parts).arrayBuffer());

/** Without parameters, in lower case: a media type has none of its own (RFC 9110, section 8.3.1). */
const typeOf = (headers: Headers) =>
  (headers.get("content-type") ?? "").replace(/;.*/s, "").trim().toLowerCase();
const isFramed = (type: string) => type.startsWith("application/grpc-web");

/**
 * Reads the message out of a body. A frame that says so is unpacked. Throws UNIMPLEMENTED for a coding other
 * than gzip, and what `gunzipBody` throws.
 */
export async function readRpcBody(headers: Headers, body: Bytes): Promise<RpcBody> {
  const type = typeOf(headers);
  const isJson = type.endsWith("json");
  if (!/^application\/(?:.*proto|.*grpc-web|.*json)$/.test(type)) {
    return { bytes: undefined, isJson, body };
  }
  if (!isFramed(type)) return { bytes: body, isJson, body };
  const coding = readCoding(headers, "grpc-encoding");
  const [flags = 0] = body;
  const end =
    body.length < frameHeadBytes ? 0 : frameHeadBytes + new DataView(body.buffer).getUint32(1);
  if (flags === 0) return { bytes: body.subarray(frameHeadBytes), isJson, body };
  if (flags !== 1 || coding !== "gzip" || end > body.length)
    return { bytes: undefined, isJson, body };
  const bytes = await gunzipBody(body.subarray(frameHeadBytes, end));
  return { bytes, isJson, body: await concatBytes(frame(0, bytes), body.subarray(end)) };
}

/** A body of that JSON, in the form that the headers name. */
export function bodyOf(headers: Headers, json: JsonValue): Bytes {
  const bytes = written(json);
  return isFramed(typeOf(headers)) ? frame(0, bytes) : bytes;
}

const written = (json: JsonValue): Bytes =>
  new Uint8Array(new TextEncoder().encode(JSON.stringify(json)));

/** The answer with the vendor's names in its JSON. */
export async function responseWithVendorNames(
  response: Response,
  desc: DescMessage,
  vendor: string,
): Promise<Response> {
  const type = typeOf(response.headers);
  if (response.status !== 200 || !type.endsWith("json") || !hasVendorName(desc)) return response;
  const rename = (bytes: Bytes) => written(wireJson(desc, JSON.parse(decodeUtf8(bytes)), vendor));
  const body = new Uint8Array(await response.arrayBuffer());
  response.headers.delete("content-length");
  if (!isFramed(type)) return new Response(rename(body), response);
  // What begins with the trailers has no message.
  if (body[0] !== 0) return new Response(body, response);
  const end = frameHeadBytes + new DataView(body.buffer).getUint32(1);
  const message = frame(0, rename(body.subarray(frameHeadBytes, end)));
  return new Response(await concatBytes(message, body.subarray(end)), response);
}
