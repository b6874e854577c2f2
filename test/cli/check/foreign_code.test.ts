import { appendFileSync, cpSync, renameSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  actionBreaches,
  fetchBreaches,
  lockfileBreaches,
  maxPackages,
  protoBreaches,
} from "../../../cli/check/foreign_code.ts";

const lockfile = (library: object) =>
  JSON.stringify({
    packages: {
      "": { engines: { node: ">=20" } },
      "node_modules/a": { version: "1.0.0", ...library },
    },
  });

test.each([
  ["is deprecated", { deprecated: "use b" }],
  ["has engines", { engines: { node: ">=22" } }],
])(
  "a library of the lockfile that %s fails the check, because npm ci would warn about it",
  (words, library) => {
    expect(lockfileBreaches(lockfile(library))).toEqual([expect.stringContaining(words)]);
    expect(lockfileBreaches(lockfile({}))).toEqual([]);
  },
);

test("a lockfile with more packages than the limit fails the check", () => {
  const packages = (count: number) =>
    JSON.stringify({
      packages: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`node_modules/${at}`, {}]),
      ),
    });
  expect(lockfileBreaches(packages(maxPackages))).toEqual([]);
  expect(lockfileBreaches(packages(maxPackages + 1))).toEqual([
    expect.stringContaining(`at most ${maxPackages}`),
  ]);
});

const digest = "0123456789abcdef0123456789abcdef01234567";

test.each([
  [`actions/checkout@${digest} # v4.2.0`, 0],
  ["actions/checkout@v4", 1],
  [`actions/checkout@${digest}`, 1],
  ["./.github/actions/own", 1],
])("of the actions of a workflow, %s has %d faults", (action, count) => {
  const found = actionBreaches("ci.yml", `steps:\n  - uses: ${action}`);
  expect(found).toHaveLength(count);
  for (const line of found) expect(line).toMatch(/^ci\.yml:2: /);
});

test("a file that imports a library that fetches hands it our fetch function", () => {
  const text =
    'import { createRemoteJWKSet } from "jose";\nexport const keys = createRemoteJWKSet(url);\n';
  expect(fetchBreaches("src/auth/issuers.ts", text)).toHaveLength(1);
  const handed = text.replace("(url)", "(url, { [customFetch]: newKeyFetcher() })");
  expect(fetchBreaches("src/auth/issuers.ts", handed)).toEqual([]);
});

test("a copied proto that was changed, moved or added fails the check", async () => {
  const folder = await mkdtemp(join(tmpdir(), "third-party-"));
  const committed = fileURLToPath(new URL("../../../schema/third_party", import.meta.url));
  cpSync(committed, folder, { recursive: true });
  expect(protoBreaches(folder)).toEqual([]);
  appendFileSync(join(folder, "google/rpc/code.proto"), "\n");
  renameSync(join(folder, "google/api/http.proto"), join(folder, "google/api/https.proto"));
  expect(protoBreaches(folder)).toEqual([
    expect.stringContaining("google/api/https.proto is not the file"),
    expect.stringContaining("google/rpc/code.proto is not the file"),
    expect.stringContaining("google/api/http.proto does not exist"),
  ]);
});
