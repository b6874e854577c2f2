import { createResource, fakeDigest, randomName } from "../../world/personas.ts";
import { sbomContent } from "../requests.ts";
import type { OwnChange } from "./change.ts";

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
