/** Sends one SBOM to SbomsService as gzip. */
import type { Client } from "../account/client.ts";
import type { InputSource } from "./lines.ts";
import { packDocument } from "./packed_document.ts";

/** In bytes of its JSON: the largest SBOM that the API accepts. */
const maxSbomBytes = 8 * 1024 * 1024;

/** Stores the SBOM of an image. Storing the same bytes again changes nothing. */
export async function importSbom(request: {
  source: InputSource;
  /** The uid of its repository. */
  repo: string;
  digest: string;
  client: Client;
}) {
  const { source, repo, digest, client } = request;
  const content = await packDocument(source, maxSbomBytes);
  return client.sboms.create(repo, { digest, content }, { idempotent: true });
}
