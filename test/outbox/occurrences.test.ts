/** The types of events that belong to no RPC: they are documented, and so are their bodies. */

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { files } from "../../schema/descriptors.ts";
import { rpcs } from "../contract/rpcs.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const root = fileURLToPath(new URL("../..", import.meta.url));

const ofRpcs = new Set(rpcs.flatMap(({ event }) => (event ? [event.type] : [])));

/** The types that the code writes and no RPC declares. */
const occurring = [
  ...new Set(
    globSync("src/**/*.ts", { cwd: root }).flatMap((path) =>
      [...read(path).matchAll(/"(api\.[a-z_.]+\.v\d)"/g)].map(([, type = ""]) => type),
    ),
  ),
].filter((type) => !ofRpcs.has(type));

/** The types in the table of the guide, and the last column of their rows. */
const guide = new Map(
  [
    ...read("docs/guides/events.md").matchAll(/^\| `(api\.[a-z_.]+\.v\d)` \|.*\| `(\w+)` \|$/gm),
  ].map(([, type = "", body = ""]) => [type, body]),
);

test("the guide lists exactly the types that no RPC declares", () => {
  expect(occurring.length).toBeGreaterThan(5);
  expect([...guide.keys()].sort()).toEqual(occurring.sort());
});

test("the proto of each body names the types of its events, and no other message is there", () => {
  const protos =
    read("schema/proto/platform/events/v2/occurrences.proto") +
    read("schema/proto/platform/iam/v2/logins.proto") +
    read("schema/proto/platform/registry/v2/tag_rules.proto") +
    read("schema/proto/platform/registry/v2/manifests.proto");
  const comments = new Map(
    [...protos.matchAll(/((?:^\/\/.*\n)+)message (\w+) \{/gm)].map(([, text = "", name = ""]) => [
      name,
      text,
    ]),
  );
  for (const [type, body] of guide) {
    // RPCs return these.
    if (body !== "Subscription" && body !== "Quota")
      expect(comments.get(body), type).toContain(`\`${type}\``);
  }
  const file = files.find(({ name }) => name === "platform/events/v2/occurrences");
  const bodies = new Set([...guide.values(), "TokenExchange"]);
  expect(file?.messages.map(({ name }) => name).filter((name) => !bodies.has(name))).toEqual([]);
});
