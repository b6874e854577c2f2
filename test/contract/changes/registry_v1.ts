/** One real change for every RPC of version 1 about repositories and tags that has an event. */
import { createResource, fakeDigest, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const repos = "/registry/v1/repos";
const tags = "/registry/v1/tags";

const newRepo = ({ organization, token }: Fixtures, name = randomName("repo")) =>
  createResource(`${repos}/${organization.uid}`, token, { name, readme: "# Read me" });

const newTag = ({ repo, token }: Fixtures, name = randomName("tag")) =>
  createResource(`${tags}/${repo}`, token, { name, digest: fakeDigest("made") });

const repoChanges: Record<string, OwnChange> = {
  "registry.Registry/CreateRepo": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        repo: { name: randomName("repo"), readme: "# Made", catalogTier: "BASE" },
      },
    }),
    conflict: async (fixtures) => ({
      parentId: fixtures.organization.uid,
      repo: { name: (await newRepo(fixtures)).name as string },
      preventExisting: true,
    }),
  },
  "registry.Registry/UpdateRepo": {
    prepare: async (fixtures) => ({
      request: {
        id: (await newRepo(fixtures)).id as string,
        name: randomName("repo"),
        readme: "# Changed",
      },
    }),
    conflict: async (fixtures) => ({
      id: fixtures.repo,
      name: (await newRepo(fixtures)).name as string,
    }),
  },
  "registry.Registry/DeleteRepo": {
    prepare: async (fixtures) => deleteOfV1((await newRepo(fixtures)).id as string),
  },
};

const tagChanges: Record<string, OwnChange> = {
  "registry.Registry/CreateTag": {
    prepare: ({ repo }) => ({
      request: { repoId: repo, tag: { name: randomName("tag"), digest: fakeDigest("created") } },
    }),
    group: "root",
  },
  "registry.Registry/UpdateTag": {
    prepare: async (fixtures) => ({
      request: {
        id: (await newTag(fixtures)).id as string,
        name: randomName("tag"),
        digest: fakeDigest("moved"),
        deprecated: true,
      },
    }),
    group: "root",
    conflict: async (fixtures) => ({
      id: fixtures.tag,
      name: (await newTag(fixtures)).name as string,
      digest: fakeDigest("moved"),
    }),
  },
  "registry.Registry/DeleteTag": {
    prepare: async (fixtures) => deleteOfV1((await newTag(fixtures)).id as string),
    group: "root",
  },
};

export const registryV1Changes: Record<string, OwnChange> = { ...repoChanges, ...tagChanges };
