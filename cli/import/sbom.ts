/** One SBOM, as gzip to SbomsService. */
import type { Client } from "../account/client.ts";
import type { InputSource } from "./lines.ts";
import { packDocument } from "./packed_document.ts";

/** The largest SBOM that the API takes, in bytes of its JSON. */
const maxSbomBytes = 8 * 1024 * 1024;

/** Stores the SBOM of an image. The same bytes again change nothing. */
export async function importSbom(request: {
  source: InputSource;
  /** Uid of its repo. */
  repo: string;
  digest: string;
  client: Client;
}) {
  const { source, repo, digest, client } = request;
  const content = await packDocument(source, maxSbomBytes);
  return client.sboms.create(repo, { digest, content }, { idempotent: true });
}
