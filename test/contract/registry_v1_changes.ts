/** One real change by every RPC of version 1 about repos and tags that has an event. */
import { digestOf, make, randomName } from "../world/personas.ts";
import { namedV1, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const repos = "/registry/v1/repos";
const tags = "/registry/v1/tags";

const newRepo = ({ organization, token }: Stock, name = randomName("repo")) =>
  make(`${repos}/${organization.uid}`, token, { name, readme: "# Read me" });

const newTag = ({ repo, token }: Stock, name = randomName("tag")) =>
  make(`${tags}/${repo}`, token, { name, digest: digestOf("made") });

const repoChanges: Record<string, OwnChange> = {
  "registry.Registry/CreateRepo": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        repo: { name: randomName("repo"), readme: "# Made", catalogTier: "BASE" },
      },
    }),
    conflict: async (stock) => ({
      parentId: stock.organization.uid,
      repo: { name: (await newRepo(stock)).name as string },
      preventExisting: true,
    }),
  },
  "registry.Registry/UpdateRepo": {
    prepare: async (stock) => ({
      request: {
        id: (await newRepo(stock)).id as string,
        name: randomName("repo"),
        readme: "# Changed",
      },
    }),
    conflict: async (stock) => ({
      id: stock.repo,
      name: (await newRepo(stock)).name as string,
    }),
  },
  "registry.Registry/DeleteRepo": {
    prepare: async (stock) => namedV1((await newRepo(stock)).id as string),
  },
};

const tagChanges: Record<string, OwnChange> = {
  "registry.Registry/CreateTag": {
    prepare: ({ repo }) => ({
      request: { repoId: repo, tag: { name: randomName("tag"), digest: digestOf("created") } },
    }),
    group: "root",
  },
  "registry.Registry/UpdateTag": {
    prepare: async (stock) => ({
      request: {
        id: (await newTag(stock)).id as string,
        name: randomName("tag"),
        digest: digestOf("moved"),
        deprecated: true,
      },
    }),
    group: "root",
    conflict: async (stock) => ({
      id: stock.tag,
      name: (await newTag(stock)).name as string,
      digest: digestOf("moved"),
    }),
  },
  "registry.Registry/DeleteTag": {
    prepare: async (stock) => namedV1((await newTag(stock)).id as string),
    group: "root",
  },
};

export const registryV1Changes: Record<string, OwnChange> = { ...repoChanges, ...tagChanges };
