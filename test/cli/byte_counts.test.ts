import { expect, test } from "vitest";
import { bytesText, parseBytes } from "../../cli/byte_counts.ts";

test.for([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1 kB"],
  [12_345_678, "12.3 MB"],
  [5_368_709_120, "5.4 GB"],
  [1e15, "1 PB"],
] as const)("%d bytes are shown as %s", ([bytes, text]) => {
  expect(bytesText(bytes)).toBe(text);
});

test.for([
  ["500", 500],
  ["0", 0],
  ["50GB", 50_000_000_000],
  ["1.5 tb", 1_500_000_000_000],
  ["0.001kB", 1],
  ["", undefined],
  ["-1", undefined],
  ["GB", undefined],
  ["5 GiB", undefined],
  ["1e3", undefined],
  ["99999999PB", undefined],
] as const)("%s is read as %s", ([text, bytes]) => {
  expect(parseBytes(text)).toBe(bytes);
});
