/**
 * Reads the messages in the bodies of Connect and gRPC-Web calls. It decompresses them, and translates the
 * vendor's names in their JSON to those of the protos and back. Connect-ES receives neither compression nor
 * other names.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../aip/errors.ts";
import { hasVendorName, wireJson } from "../aip/vendor_names.ts";
import { decodeUtf8, gunzipBody, readCoding } from "./request.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The contents of a body. */
export interface RpcBody {
  /** The message. Undefined if Connect-ES has to report what is wrong. */
  bytes: Bytes | undefined;
  isJson: boolean;
  /** The body without compression. */
  body: Bytes;
}

/** The length of the prefix of a message: one byte of flags and four bytes of length. */
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

/**
 * The media type in lowercase, without parameters. These media types define no parameters (RFC 9110, section
 * 8.3.1).
 */
const typeOf = (headers: Headers) =>
  (headers.get("content-type") ?? "").replace(/;.*/s, "").trim().toLowerCase();
const isFramed = (type: string) => type.startsWith("application/grpc-web");

/** Whether a body consists of whole frames. Connect-ES would reserve as many bytes as a frame says that it has. */
function hasWholeFrames(body: Bytes): boolean {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let position = 0;
  while (position + frameHeadBytes <= body.length)
    position += frameHeadBytes + view.getUint32(position + 1);
  return position === body.length;
}

/**
 * Reads the message from a body. A frame is decompressed if its flag says so. Throws INVALID_ARGUMENT if a frame is not
 * complete, UNIMPLEMENTED for a coding other than gzip, and the errors of `gunzipBody`.
 */
export async function readRpcBody(headers: Headers, body: Bytes): Promise<RpcBody> {
  const type = typeOf(headers);
  const isJson = type.endsWith("json");
  if (!/^application\/(?:.*proto|.*grpc-web|.*json)$/.test(type)) {
    return { bytes: undefined, isJson, body };
  }
  if (!isFramed(type)) return { bytes: body, isJson, body };
  const coding = readCoding(headers, "grpc-encoding");
  if (!hasWholeFrames(body))
    throw invalidArgument(
      "body",
      "body ends before a message does: its length is wrong, or it was cut",
    );
  const [flags = 0] = body;
  if (flags === 0) return { bytes: body.subarray(frameHeadBytes), isJson, body };
  if (flags !== 1 || coding !== "gzip") return { bytes: undefined, isJson, body };
  const end = frameHeadBytes + new DataView(body.buffer).getUint32(1);
  const bytes = await gunzipBody(body.subarray(frameHeadBytes, end));
  return { bytes, isJson, body: await concatBytes(frame(0, bytes), body.subarray(end)) };
}

/** Writes a body with that JSON, in the format that the headers name. */
export function bodyOf(headers: Headers, json: JsonValue): Bytes {
  const bytes = written(json);
  return isFramed(typeOf(headers)) ? frame(0, bytes) : bytes;
}

const written = (json: JsonValue): Bytes =>
  new Uint8Array(new TextEncoder().encode(JSON.stringify(json)));

/** Translates the JSON of a response to the vendor's names. */
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
  // A body that begins with the trailers contains no message.
  if (body[0] !== 0) return new Response(body, response);
  const end = frameHeadBytes + new DataView(body.buffer).getUint32(1);
  const message = frame(0, rename(body.subarray(frameHeadBytes, end)));
  return new Response(await concatBytes(message, body.subarray(end)), response);
}
