/** The archive of protos, from which clients in other languages are generated. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { protosArchive } from "../../site/protos.ts";
import { baseUrl } from "../world/platform.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** All names of the platform in a set of files, with the number of each field and the signature of each RPC. */
function namesIn(bytes: Uint8Array): string[] {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry]
    .filter(({ typeName }) => typeName.startsWith("platform."))
    .flatMap((one) => {
      if (one.kind === "message")
        return one.fields.map((field) => `${field.toString()} = ${field.number}`);
      if (one.kind === "service")
        return one.methods.map((rpc) => `${rpc} (${rpc.input}) (${rpc.output})`);
      if (one.kind === "enum") return one.values.map((value) => `${value} = ${value.number}`);
      return [`${one} = ${one.number}`];
    })
    .sort();
}

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "protos-"));
  const answer = await fetch(`${baseUrl()}/docs/protos.tar.gz`);
  writeFileSync(join(folder, "protos.tar.gz"), new Uint8Array(await answer.arrayBuffer()));
  execFileSync("tar", ["xzf", "protos.tar.gz"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the platform serves the archive of its own protos", () => {
  expect(readFileSync(join(folder, "protos.tar.gz")).equals(protosArchive(root))).toBe(true);
});

test("the archive compiles without any other file, to the same packages, fields and RPCs", () => {
  const out = join(folder, "archive.binpb");
  execFileSync(join(root, "node_modules/.bin/buf"), ["build", "protos", "-o", out], {
    cwd: folder,
  });
  const ours = namesIn(readFileSync(join(root, "schema/gen/descriptors.binpb")));
  expect(ours.length).toBeGreaterThan(1000);
  expect(namesIn(readFileSync(out))).toEqual(ours);
});

test("no path begins with a module of Python's standard library", () => {
  const listed = execFileSync("tar", ["tzf", join(folder, "protos.tar.gz")], { encoding: "utf8" });
  const roots = new Set(
    listed
      .trim()
      .split("\n")
      .map((path) => path.split("/")[1]),
  );
  expect([...roots].sort()).toEqual([
    "README.md",
    "buf",
    "buf.yaml",
    "google",
    "grpc",
    "platform_api",
  ]);
});
