/** One SBOM, as gzip to SbomsService. */
import { createClient, type Transport } from "@connectrpc/connect";
import { type Sbom, SbomsService } from "../schema/gen/platform/registry/v2/sboms_pb.js";
import { findRepo, type Image } from "./image.ts";
import type { Source } from "./import_lines.ts";
import { packedDocument } from "./packed_document.ts";

/** The largest SBOM that the API takes, in bytes of its JSON. */
const maxSbomBytes = 8 * 1024 * 1024;

/** Stores the SBOM of an image. The same bytes again change nothing. */
export async function importSbom(request: {
  source: Source;
  image: Image;
  transport: Transport;
}): Promise<Sbom> {
  const { source, image, transport } = request;
  const content = await packedDocument(source, maxSbomBytes);
  const parent = await findRepo(transport, image.repo);
  const sbom = { digest: image.digest, content };
  return createClient(SbomsService, transport).createSbom({ parent, sbom });
}
