import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { type InputSource, openSource, readLines } from "../../../cli/import/lines.ts";
import { newFolder } from "../command.ts";

/** A source that returns its bytes in chunks of a given size. */
function pieces(bytes: Uint8Array, size: number): InputSource {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    chunks.push(Buffer.from(bytes.subarray(at, at + size)));
  }
  return { name: "test", input: Readable.from(chunks), read: 0 };
}

async function read(source: InputSource): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  for await (const { number, bytes } of readLines(source)) lines.push([number, bytes.toString()]);
  return lines;
}

const text = "one\r\ntwo\n\n\nfünf\nsix";
const lines = [
  [1, "one"],
  [2, "two"],
  [5, "fünf"],
  [6, "six"],
];

test.each([1, 2, 3, 7, 1000])(
  "lines keep their numbers for all sizes of chunks (%i)",
  async (size) => {
    expect(await read(pieces(Buffer.from(text), size))).toEqual(lines);
  },
);

test.each([1, 2, 1000])("gzip is recognized by its first bytes (chunks of %i)", async (size) => {
  expect(await read(pieces(gzipSync(text), size))).toEqual(lines);
});

test("several gzip files can be concatenated", async () => {
  const both = Buffer.concat([gzipSync("one\n"), gzipSync("two\n")]);
  expect(await read(pieces(both, 1000))).toEqual(lines.slice(0, 2));
});

test("an empty input has no lines", async () => {
  expect(await read(pieces(Buffer.alloc(0), 1))).toEqual([]);
  expect(await read(pieces(gzipSync(""), 1000))).toEqual([]);
});

test("the error of truncated gzip data names the last complete line", async () => {
  const whole = gzipSync(Array.from({ length: 5000 }, (_, i) => `line ${i} ${i * i}\n`).join(""));
  const cut = read(pieces(whole.subarray(0, whole.length / 2), 4096));
  await expect(cut).rejects.toThrow(/the gzip data is damaged after line \d+/);
  await expect(cut).rejects.toMatchObject({ exitCode: 4 });
});

test("a file is read with its size, so that progress can be shown", async () => {
  const file = join(await newFolder(), "lines");
  await writeFile(file, gzipSync(text));
  const source = await openSource(file);
  expect(await read(source)).toEqual(lines);
  expect(source.size).toBe(gzipSync(text).length);
  expect(source.read).toBe(source.size);
});

test.each(["/nowhere/at/all", "/tmp"])(
  "a path that is not a file is a usage error (%s)",
  async (path) => {
    const opened = openSource(path);
    await expect(opened).rejects.toThrow(Failure);
    await expect(opened).rejects.toMatchObject({ exitCode: 2 });
  },
);
