/** Blobs of mirrors that are still at the upstream. */
import { rootOf } from "../../aip/uid_path.ts";
import type { Reach } from "../access.ts";
import { ObjectWriter } from "../blobs/object_writer.ts";
import { maxBlobSize } from "../blobs/receive.ts";
import { newFixedLengthStream } from "../blobs/streams.ts";
import type { RegistryContext } from "../context.ts";
import { HeldMemory } from "../memory.ts";
import { isAbsent, noteAbsent } from "./absent.ts";
import { UpstreamFailure } from "./failures.ts";
import { keepBlob, reserve } from "./keep_blob.ts";
import { pump } from "./pump.ts";
import { requireAsking } from "./refresh.ts";
import { ask } from "./requests.ts";
import { findMirror, type Mirror } from "./setting.ts";
import { recordAnswer, recordFailure } from "./states.ts";
import { type Turn, takeTurn } from "./turns.ts";

/** For how long a pull waits for other requests that fetch the same blob, in milliseconds. It then fetches it itself. */
const patience = 20_000;

/**
 * The response with a blob that the mirror does not have. `again` answers the request if another one has fetched the blob
 * meanwhile. Undefined if the upstream does not have it either, and if the repository is not a mirror. Throws
 * UpstreamFailure.
 */
export async function mirroredBlob(
  context: RegistryContext,
  { repositoryPath, isPublicOnly }: Reach,
  digest: string,
  again: () => Promise<Response>,
): Promise<Response | undefined> {
  const { repo, isMirror } = repositoryPath;
  if (repo === undefined || !isMirror || isPublicOnly) return undefined;
  const mirror = await findMirror(context, repositoryPath, "");
  if (!mirror) return undefined;
  if (isAbsent(mirror, digest)) return undefined;
  requireAsking(mirror);
  try {
    const answer = await fetchBlob(context, mirror, repo, digest);
    if (answer) return await (answer === "after" ? again() : answer);
    noteAbsent(mirror, digest);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) await recordFailure(context, mirror, thrown);
    throw thrown;
  }
}

/** The response. `after` if another request has fetched the blob. */
async function fetchBlob(
  context: RegistryContext,
  mirror: Mirror,
  repo: string,
  digest: string,
): Promise<Response | "after" | undefined> {
  if (context.request.method === "HEAD") return headBlob(context, mirror, digest);
  const turn = await takeTurn(context, mirror, digest, patience);
  if (turn === "after") return turn;
  return streamBlob(context, mirror, repo, digest, turn === "busy" ? undefined : turn);
}

/** The number of bytes that a response announces. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get("content-encoding") === null ? headers.get("content-length") : null;
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

async function headBlob(
  context: RegistryContext,
  mirror: Mirror,
  digest: string,
): Promise<Response | undefined> {
  const answer = await ask(context, mirror, { method: "HEAD", path: `blobs/${digest}` });
  if (!answer) return undefined;
  await recordAnswer(context, mirror, answer.limits);
  return new Response(null, { headers: headersOf(digest, lengthOf(answer.response)) });
}

const headersOf = (digest: string, length: number | undefined): Record<string, string> => ({
  "content-type": "application/octet-stream",
  "docker-content-digest": digest,
  etag: `"${digest}"`,
  ...(length === undefined ? {} : { "content-length": String(length) }),
});

/** Streams the blob to the caller. With a turn, it is stored at the same time. */
async function streamBlob(
  context: RegistryContext,
  mirror: Mirror,
  repo: string,
  digest: string,
  turn: Turn | undefined,
): Promise<Response | undefined> {
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(repo));
  const done = async () => {
    memory.release();
    await turn?.release();
  };
  let body: Response["body"] | undefined;
  try {
    const answer = await ask(context, mirror, { method: "GET", path: `blobs/${digest}` });
    body = answer?.response.body;
    if (!answer || !body) {
      await done();
      return undefined;
    }
    await recordAnswer(context, mirror, answer.limits);
    const length = lengthOf(answer.response);
    const storing = turn && (await beginStore(context, repo, length, memory));
    const { readable, writable } =
      length === undefined ? new TransformStream<Uint8Array>() : newFixedLengthStream(length);
    let isKept = false;
    const pumped = pump({
      ...{ body, digest, length, limit: maxBlobSize, address: mirror.address },
      caller: writable.getWriter() as never,
      store: storing?.writer,
      stall: context.config.uploadStallMs,
      // Without its turn, the fetch still ends. Another one may then begin.
      renew: async () => turn?.renew().catch(() => {}),
      keep: async (piece) => {
        if (storing) await keepBlob(context, repo, { digest, piece }, storing.reservation);
        isKept = true;
      },
    });
    const ended = pumped
      .catch(async (thrown: unknown) => {
        if (thrown instanceof UpstreamFailure) await recordFailure(context, mirror, thrown);
      })
      .finally(async () => {
        if (!isKept) await storing?.reservation.discard();
      });
    context.waitUntil(ended.finally(done));
    return new Response(readable as unknown as ReadableStream, {
      headers: headersOf(digest, length),
    });
  } catch (thrown) {
    await body?.cancel().catch(() => {});
    await done();
    throw thrown;
  }
}

/** Throws DENIED if the organization may not store the bytes. */
async function beginStore(
  context: RegistryContext,
  repo: string,
  length: number | undefined,
  memory: HeldMemory,
) {
  const reservation = await reserve(context, repo);
  const writer = new ObjectWriter(context, memory, reservation);
  await writer.reserve(length ?? 0);
  return { reservation, writer };
}
