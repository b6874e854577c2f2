/** Reads the headers and the body of a request, of any server. */
import { WebhookError } from "./error.ts";

/** A `Request`, or the headers and the body that another server has read. */
export interface WebhookRequest {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes. A text is encoded as UTF-8. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | string | null;
  /** Whether the body of a `Request` has been read. */
  readonly bodyUsed?: boolean | undefined;
}

/** Returns the headers by lower-case name. The values of a header that is sent twice are joined by a comma and a space. */
export function headersOf({ headers }: WebhookRequest): Headers {
  // It is not necessarily of the same realm, so there is no instanceof.
  if (typeof headers.get === "function") return headers as Headers;
  const pairs = Object.entries(headers as Record<string, string | readonly string[] | undefined>);
  return new Headers(
    pairs.flatMap(([name, value]) =>
      [value ?? []].flat().map((text): [string, string] => [name, text]),
    ),
  );
}

/**
 * Reads the body. Throws a WebhookError with status 413 as soon as there are more bytes than allowed, and a TypeError
 * if the body has been read before.
 */
export async function readBody(
  { body, bodyUsed }: WebhookRequest,
  headers: Headers,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bodyUsed) throw new TypeError("the body of the request was read before it could be verified");
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  if (body === null) return new Uint8Array();
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (!(content instanceof Uint8Array)) return readStream(content, maxBytes);
  if (content.length > maxBytes) throw tooLarge(maxBytes);
  return new Uint8Array(content);
}

async function readStream(stream: ReadableStream<Uint8Array>, maxBytes: number) {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

const tooLarge = (maxBytes: number) =>
  new WebhookError(413, "BODY_TOO_LARGE", `The body must have at most ${maxBytes} bytes.`);
