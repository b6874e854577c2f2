/** The memory for reading documents that are built to need much, in a process with the memory of a Worker. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { tiers } from "../../world/tiers.ts";

const mostBytes = 8 * 1024 * 1024;
const reader = fileURLToPath(new URL("./read_in_process.ts", import.meta.url));

/** The outcome of reading a document in a process of 128 MB. */
const outcome = (document: string) =>
  execFileSync(process.execPath, ["--max-old-space-size=128", reader], {
    input: gzipSync(document),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });

/** As many items between the two texts as fit into the largest document. */
function filled(before: string, item: (index: number) => string, after: string): string {
  const items: string[] = [];
  let length = before.length + after.length;
  for (let index = 0; ; index += 1) {
    const next = item(index);
    length += next.length + 1;
    if (length > mostBytes) break;
    items.push(next);
  }
  return `${before}${items.join(",")}${after}`;
}

const cyclone = '{"bomFormat":"CycloneDX","specVersion":"1.5",';
const spdx3 = '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[';
const spdx = '{"spdxVersion":"SPDX-2.3",';
const name = (index: number) => `n${index.toString(36)}`;
const nested = `${'{"name":"a","components":['.repeat(64)}`;

/** Documents with the same outcome, each by what it has. */
const readAs = (expected: RegExp, documents: Record<string, string>) =>
  Object.entries(documents).map(([name, text]): [string, string, RegExp] => [name, text, expected]);

const tooMany = /at most 50000 components and relations/;

const documents = [
  ...readAs(/at most 300000 values/, {
    "the same dependency many times": filled(
      `${cyclone}"dependencies":[{"ref":"a","dependsOn":[`,
      () => '"b"',
      "]}]}",
    ),
    "tiny packages": filled(`${cyclone}"components":[`, (n) => `{"name":"${name(n)}"}`, "]}"),
    "empty objects": filled(`${cyclone}"components":[`, () => "{}", "]}"),
  }),
  ...readAs(/^ok 0 0|at most 300000 values/, {
    "members of other names each": filled(
      `${cyclone}"x":[`,
      (n) => `{"${name(n)}-${"x".repeat(20)}":0}`,
      "]}",
    ),
    "elements of SPDX 3 that are written in place of their ids": filled(
      `${spdx3}{"type":"SpdxDocument","element":[`,
      (n) => `{"type":"Tool","spdxId":"${name(n)}","x":"${"y".repeat(70)}"}`,
      "]}]}",
    ),
  }),
  ...readAs(tooMany, {
    "as many packages as there may be values": filled(
      `${cyclone}"components":[`,
      (n) => `{"name":"${name(n)}","x":"${"y".repeat(75)}"}`,
      "]}",
    ),
    "relations of many to many": filled(
      `${spdx}"relationships":[`,
      (n) =>
        `{"spdxElementId":"${name(n)}","relatedSpdxElement":"${"b".repeat(40)}","relationshipType":"CONTAINS"}`,
      "]}",
    ),
    "relations of SPDX 3 from one to many": filled(
      `${spdx3}{"type":"Relationship","relationshipType":"contains","from":"a","to":[`,
      (n) => `"${name(n)}-${"x".repeat(25)}"`,
      "]}]}",
    ),
  }),
  ...readAs(/at most 8388608 characters in the licenses/, {
    "packages of SPDX 3 that all name one long license": filled(
      `${spdx3}{"type":"License","spdxId":"l","name":"${"x".repeat(1_000_000)}"},`,
      (n) =>
        `{"type":"Relationship","relationshipType":"hasDeclaredLicense","from":"${name(n)}","to":["l","l"],"comment":"${"y".repeat(100)}"}`,
      "]}",
    ),
  }),
  ...readAs(/at most 8388608 characters in the ids/, {
    "dependencies of a component with a very long id": `${cyclone}"dependencies":[{"ref":"${"x".repeat(4_000_000)}","dependsOn":[${Array.from({ length: 40_000 }, (_, n) => `"${name(n)}"`).join(",")}]}]}`,
    "packages without ids deep within others": `${cyclone}"components":[${nested}${Array.from({ length: 40_000 }, () => '{"name":"b"}').join(",")}${"]}".repeat(64)}]}`,
  }),
];

for (const [some, tier] of tiers(documents, ([, , expected]) => String(expected)))
  test.for(some)("a document of %s is read or refused", tier, ([, document, expected]) => {
    expect(document.length).toBeLessThanOrEqual(mostBytes);
    expect(outcome(document)).toMatch(expected);
  });
