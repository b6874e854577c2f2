/**
 * The contents of an image: its manifest and its configuration, in one response. A client that only shows an image
 * asks for them, because a pull of the manifest counts as a use of the image.
 */
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { openContent } from "../blobs/contents.ts";
import { type BlobRow, selectLinked } from "../blobs/rows.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { manifestUnknown, nameUnknown } from "../errors.ts";
import { selectPublic } from "../public_content.ts";
import type { ImageName } from "../repository.ts";
import { selectReferenced } from "./rows.ts";

/** A longer configuration is left out, because a Worker would hold it in memory. In bytes. */
const maxConfigSize = 1024 * 1024;

interface Descriptor {
  mediaType?: unknown;
  digest?: unknown;
}

/** `GET` and `HEAD /v2/<name>/_<vendor>/images/<digest>`. It writes no event. */
export async function getContents(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digest: string,
): Promise<Response> {
  const { db } = context;
  const { repositoryPath, isPublicOnly, rows } = await reachRepository(
    context,
    bearer,
    image,
    "pull",
    [selectReferenced(db, image, digest), ...selectPublic(context, image, digest)],
  );
  const [[row], [open] = []] = rows;
  if (repositoryPath.repo === undefined) throw nameUnknown(image.full);
  if (!row || row.size === null || (isPublicOnly && !open)) throw manifestUnknown(digest);
  const manifest = await readJson<{ config?: Descriptor }>(context, row);
  if (!manifest) throw manifestUnknown(digest);
  const config = await readConfig(context, image, manifest.json.config);
  const { mediaType, size } = row;
  const own = JSON.stringify({ digest, mediaType, size }).slice(0, -1);
  const rest = config ? `,"config":${config.text}` : "";
  const headers = { "content-type": "application/json" };
  return new Response(`${own},"manifest":${manifest.text}${rest}}`, { headers });
}

/** A document, and its text. Anyone who pushes can nest a document too deeply to write its JSON again. */
interface JsonText<Json> {
  json: Json;
  text: string;
}

/** Undefined if the manifest names no configuration in JSON, or the repository does not have it. */
async function readConfig(
  context: RegistryContext,
  image: ImageName,
  config: Descriptor | undefined,
): Promise<JsonText<object> | undefined> {
  const { digest, mediaType } = config ?? {};
  if (typeof digest !== "string" || !isDigest(digest)) return undefined;
  if (typeof mediaType !== "string" || !/[/+]json$/.test(mediaType)) return undefined;
  const [row] = await selectLinked(context.db, image, ContentKind.blob, digest);
  if (!row || row.size === null || row.size > maxConfigSize) return undefined;
  return readJson(context, row);
}

/** Undefined if the bytes are not those of a JSON object, or if they are damaged. */
async function readJson<Json extends object>(
  context: RegistryContext,
  row: BlobRow,
): Promise<JsonText<Json> | undefined> {
  const body = await openContent(context, row);
  if (typeof body === "string") return undefined;
  const text = await new Response(body).text();
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? { json: json as Json, text } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
