/** Steps about repositories, their tags, and subscriptions. */
import fc from "fast-check";
import { fakeDigest } from "../../world/personas.ts";
import { deletion, mostlyValid, name, ref, step, text } from "./step.ts";

const digest = mostlyValid(
  fc.constantFrom(fakeDigest("one"), fakeDigest("two"), fakeDigest("three")),
  "sha256:short",
);

const labels = mostlyValid(fc.constantFrom<string[]>([], ["base"], ["fips", "ai"]), ["no label"]);

const repo = fc.record({
  name,
  description: text,
  bundles: labels,
  aliases: fc.constantFrom<string[]>([], ["other:latest"]),
  activeTags: fc.constantFrom<string[]>([], ["latest", "1.2"]),
  tier: fc.constantFrom("", "BASE", "DEVTOOLS"),
  overlaid: fc.boolean(),
});

const contents = { packages: ["curl"] };
const environment = { A: "1" };

/** A repository in the terms of each version. */
function said({ tier, overlaid, ...rest }: { tier: string; overlaid: boolean; name: string }) {
  const overlay = { contents, environment, annotations: { note: "b" } };
  const user = { uid: 1, gid: 1, shell: "/bin/sh" };
  const accounts = { runAs: "app" };
  return {
    v1: {
      ...rest,
      ...(tier ? { catalogTier: tier } : {}),
      ...(overlaid
        ? {
            customOverlay: {
              ...overlay,
              accounts: { ...accounts, users: [{ ...user, userName: "app" }] },
            },
          }
        : {}),
    },
    v2: {
      ...rest,
      ...(tier ? { catalogTier: `CATALOG_TIER_${tier}` } : {}),
      ...(overlaid
        ? {
            customOverlay: {
              ...overlay,
              accounts: { ...accounts, users: [{ ...user, username: "app" }] },
            },
          }
        : {}),
    },
  };
}

export const repoSteps = [
  step("create repo", "repo", fc.record({ ref, repo }), (given, uid) => {
    const parent = uid("group", given.ref);
    return {
      v1: {
        rpc: "registry.Registry/CreateRepo",
        request: { parentId: parent, repo: said(given.repo).v1, preventExisting: true },
      },
      v2: { rpc: "ReposService/CreateRepo", request: { parent, repo: said(given.repo).v2 } },
      names: { parent_id: "parent" },
      makes: "repo",
    };
  }),
  step("replace repo", "repo", fc.record({ ref, repo }), (given, uid) => {
    const id = uid("repo", given.ref);
    return {
      v1: { rpc: "registry.Registry/UpdateRepo", request: { id, ...said(given.repo).v1 } },
      v2: {
        rpc: "ReposService/UpdateRepo",
        request: { repo: { uid: id, ...said(given.repo).v2 }, updateMask: "*" },
      },
      names: { id: "uid" },
    };
  }),
  deletion("repo", "registry.Registry/DeleteRepo", "ReposService/DeleteRepo"),
];

const tag = fc.record({
  name: mostlyValid(
    fc.constantFrom("latest", "1.2", "1.2-r0", "1.2-20260101", "sha256-ab"),
    "no tag",
  ),
  digest,
  deprecated: fc.boolean(),
  bundles: labels,
});

export const tagSteps = [
  step("create or move tag", "tag", fc.record({ ref, tag }), (given, uid) => {
    const parent = uid("repo", given.ref);
    return {
      v1: { rpc: "registry.Registry/CreateTag", request: { repoId: parent, tag: given.tag } },
      v2: { rpc: "TagsService/CreateTag", request: { parent, tag: given.tag } },
      names: { repo_id: "parent" },
      makes: "tag",
    };
  }),
  deletion("tag", "registry.Registry/DeleteTag", "TagsService/DeleteTag"),
];

const sink = mostlyValid(
  fc.nat(9).map((nth) => `https://hooks.example/${nth}`),
  "ftp://no",
  "",
);

export const subscriptionSteps = [
  step("create subscription", "subscription", fc.record({ ref, sink }), (given, uid) => {
    const parent = uid("group", given.ref);
    const subscription = { sink: given.sink };
    return {
      v1: { rpc: "events.Subscriptions/Create", request: { parentId: parent, subscription } },
      v2: { rpc: "SubscriptionsService/CreateSubscription", request: { parent, subscription } },
      names: { parent_id: "parent" },
      makes: "subscription",
    };
  }),
  deletion(
    "subscription",
    "events.Subscriptions/Delete",
    "SubscriptionsService/DeleteSubscription",
  ),
];
