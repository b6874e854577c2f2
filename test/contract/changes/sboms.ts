/** One real change for the RPC that stores SBOMs. */
import { Buffer } from "node:buffer";
import { createResource, fakeDigest, randomName } from "../../world/personas.ts";
import type { OwnChange } from "./change.ts";

/** The smallest SPDX document with a name, in the form of a request. */
export const sbomContent = (name: string) =>
  Buffer.from(
    JSON.stringify({
      spdxVersion: "SPDX-2.3",
      SPDXID: "SPDXRef-DOCUMENT",
      name,
      packages: [{ SPDXID: "SPDXRef-1", name: "openssl", versionInfo: "3.0.11" }],
      creationInfo: { created: "2026-01-01T00:00:00Z", creators: ["Tool: sample-1.0"] },
    }),
  ).toString("base64");

const sbomOf = (image: string) => ({ digest: fakeDigest(image), content: sbomContent(image) });

export const sbomChanges: Record<string, OwnChange> = {
  "SbomsService/CreateSbom": {
    prepare: ({ repo }) => ({ request: { parent: repo, sbom: sbomOf(randomName("image")) } }),
    group: "root",
    async idle({ repo, token }) {
      const sbom = sbomOf("idle");
      await createResource(`/registry/v2/sboms/${repo}`, token, sbom);
      return { parent: repo, sbom };
    },
  },
};
