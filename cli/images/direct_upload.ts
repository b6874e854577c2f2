/** Uploads a large blob to R2 directly, if the registry offers it. */
import { PlatformError } from "../../client/errors.ts";
import { unreachableFailure } from "../failure.ts";
import { isUnreachable } from "./attempts.ts";
import { bodyOf, bytesBody } from "./blob_body.ts";
import type { LocalBlob } from "./local_image.ts";
import { requireStatus, type Session } from "./session.ts";
import { transferAll } from "./transfer.ts";

/** An upload that the registry has begun. */
export type DirectUpload = {
  session: Session;
  name: string;
  blob: LocalBlob;
  /** The URL of the upload at the registry. */
  location: string;
  /** The ETags of the parts that R2 has, in their order. Each new one is added. A part that R2 lacks has an empty one. */
  etags: string[];
  signal: AbortSignal | undefined;
  /** Called after each part. */
  onPart: () => Promise<void>;
  /** Called with the bytes that R2 has more than before. */
  onBytes: (bytes: number) => void;
};

/** The URLs of the parts. All parts but the last have `partSize` bytes. */
type Plan = { partSize: number; parts: { url: string }[] };

/**
 * Sends the parts, and ends the upload. Returns false if the registry does not offer this, or
 * if R2 cannot be reached from here: the blob must then go through the registry. A call after an error continues.
 */
export async function uploadDirectly(upload: DirectUpload): Promise<boolean> {
  const { session, onBytes } = upload;
  const plan = session.offersDirectUploads ? await findPlan(upload) : undefined;
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    onBytes(bytes);
  };
  try {
    if (plan && (await sendParts(upload, plan, count))) {
      await complete(upload);
      return true;
    }
  } catch (thrown) {
    onBytes(-sent);
    throw thrown;
  }
  onBytes(-sent);
  session.offersDirectUploads = false;
  return false;
}

/**
 * Sends the parts that R2 does not have, the first one alone and then some at a time. Returns false if there is no
 * response to the very first one.
 */
async function sendParts(
  upload: DirectUpload,
  { partSize, parts }: Plan,
  count: (bytes: number) => void,
): Promise<boolean> {
  const { blob, etags, onPart } = upload;
  const rangeOf = (index: number) => ({
    start: index * partSize,
    end: Math.min(blob.size, (index + 1) * partSize),
  });
  const missing: number[] = [];
  for (const index of parts.keys()) {
    const { start, end } = rangeOf(index);
    etags[index] ??= "";
    if (etags[index] === "") missing.push(index);
    else count(end - start);
  }
  const isNew = missing.length === parts.length;
  const send = async (index: number, signal?: AbortSignal) => {
    const part = { ...rangeOf(index), count, signal };
    etags[index] = await sendPart(upload, parts[index]?.url ?? "", part);
    await onPart();
  };
  const [first, ...rest] = missing;
  try {
    if (first !== undefined) await send(first);
  } catch (thrown) {
    // A TypeError of fetch: there was no response at all.
    if (isNew && thrown instanceof TypeError && isUnreachable(thrown)) return false;
    throw thrown;
  }
  await transferAll(rest, send);
  return true;
}

type Begun = Pick<DirectUpload, "session" | "name" | "location" | "signal">;

const pathOf = ({ session, name, location }: Begun) =>
  `/v2/${name}/_${session.vendor}/uploads/${new URL(location).pathname.split("/").at(-1)}`;

/** Whether the registry offers this for an upload. The request begins nothing, because no blob has the size that it names. */
export async function offersDirectUploads(begun: Begun): Promise<boolean> {
  const { session, name, signal } = begun;
  if (!session.offersDirectUploads) return false;
  const request = { method: "POST", path: pathOf(begun), body: jsonBody({ size: 0 }), signal };
  const response = await session.send(name, request);
  try {
    await requireStatus(response);
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    if (thrown.reason === "SIZE_INVALID") return true;
    if (thrown.reason !== "UNSUPPORTED") throw thrown;
  }
  session.offersDirectUploads = false;
  return false;
}

/** Returns the URLs of the parts, or undefined if the registry does not offer them. */
async function findPlan(upload: DirectUpload): Promise<Plan | undefined> {
  const { session, name, blob, signal } = upload;
  const response = await session.send(name, {
    method: "POST",
    path: pathOf(upload),
    body: jsonBody({ size: blob.size }),
    signal,
  });
  try {
    return (await (await requireStatus(response, 200)).json()) as Plan;
  } catch (thrown) {
    if (thrown instanceof PlatformError && thrown.reason === "UNSUPPORTED") return undefined;
    throw thrown;
  }
}

type Part = {
  start: number;
  end: number;
  count: (bytes: number) => void;
  signal: AbortSignal | undefined;
};

/** Sends a part to R2, without the token of the registry. Returns its ETag. */
async function sendPart(
  { session, name, blob, signal: whole }: DirectUpload,
  url: string,
  { start, end, count, signal: others }: Part,
): Promise<string> {
  const signal = AbortSignal.any([whole, others].filter((one) => one !== undefined));
  const body = bodyOf(blob, start, end, count);
  const response = await session.send(name, { method: "PUT", path: url, body, signal });
  await response.body?.cancel();
  const etag = response.headers.get("etag");
  if (response.ok && etag) return etag;
  // The URL may have expired. The next attempt gets new ones.
  throw unreachableFailure(`${new URL(url).host} returned ${response.status} for a part.`);
}

async function complete(upload: DirectUpload): Promise<void> {
  const { session, name, blob, etags, signal } = upload;
  const response = await session.send(name, {
    method: "PUT",
    path: `${pathOf(upload)}?digest=${blob.digest}`,
    body: jsonBody({ parts: etags }),
    signal,
  });
  // If a part is missing or wrong, the next attempt sends all of them again.
  if (response.status === 400) etags.length = 0;
  await requireStatus(response, 201);
  await response.body?.cancel();
}

const jsonBody = (value: object) => bytesBody(Buffer.from(JSON.stringify(value)));
