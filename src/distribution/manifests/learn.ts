/** Reads the documents of a push that the platform uses: the configuration of an image. */
import { ConnectError } from "@connectrpc/connect";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import {
  configTypes,
  readImageConfig,
  type StoredConfig,
} from "../../registry/images/image_config.ts";
import { openContent } from "../blobs/blobs.ts";
import type { BlobRow } from "../blobs/rows.ts";
import type { RegistryContext } from "../context.ts";
import type { ManifestDocument } from "./document.ts";

/** The most bytes of a configuration that is read, as over the API. */
const maxConfigBytes = 1024 * 1024;

/** The documents that were read, and the reasons why others were not. */
export interface Lesson {
  image: StoredConfig | undefined;
  unread: string[];
}

/** Reads the configuration of an image. A document that cannot be read does not stop the push. */
export async function learn(
  context: RegistryContext,
  { content, isIndex }: ManifestDocument,
  stored: (BlobRow & { kind: number })[],
): Promise<Lesson> {
  const { config } = content;
  const isImage = !isIndex && configTypes.includes(config?.mediaType as string);
  const blob = stored.find(
    ({ digest, kind }) => kind === ContentKind.blob && digest === config?.digest,
  );
  if (!isImage || !blob) return { image: undefined, unread: [] };
  try {
    const bytes = await readBlob(context, blob, maxConfigBytes);
    return { image: readImageConfig(bytes, config?.mediaType), unread: [] };
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) throw thrown;
    return { image: undefined, unread: [thrown.rawMessage] };
  }
}

/** The bytes of a blob. Throws an error for the event if it has too many. */
async function readBlob(
  context: RegistryContext,
  blob: BlobRow,
  limit: number,
): Promise<Uint8Array> {
  if ((blob.size ?? 0) > limit) {
    throw new ConnectError(`config has more than ${limit} bytes, so it was not read`);
  }
  const body = await openContent(context, blob);
  return new Uint8Array(await new Response(body ?? null).arrayBuffer());
}
