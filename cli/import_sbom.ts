/** One SBOM, as gzip to SbomsService. */
import type { Client } from "./client.ts";
import { findRepo, type Image } from "./image.ts";
import type { Source } from "./import_lines.ts";
import { packedDocument } from "./packed_document.ts";

/** The largest SBOM that the API takes, in bytes of its JSON. */
const maxSbomBytes = 8 * 1024 * 1024;

/** Stores the SBOM of an image. The same bytes again change nothing. */
export async function importSbom(request: { source: Source; image: Image; client: Client }) {
  const { source, image, client } = request;
  const content = await packedDocument(source, maxSbomBytes);
  const parent = await findRepo(client, image.repo);
  return client.sboms.create(parent, { digest: image.digest, content }, { idempotent: true });
}
