import { describe, expect, test } from "vitest";
import { ArgumentsError, families, readArguments } from "../../bench/arguments.ts";

test("without arguments all families are measured, at three sizes", () => {
  expect(readArguments([])).toEqual({
    families: [...families],
    sizes: [1_000, 100_000, 1_000_000],
    json: false,
    moves: undefined,
    help: false,
  });
  expect(readArguments(["all"])).toEqual(readArguments([]));
});

test("one family is measured by its name", () => {
  expect(families.map((name) => readArguments([name]).families)).toEqual(
    families.map((name) => [name]),
  );
});

test("sizes are in ascending order, without duplicates", () => {
  expect(readArguments(["--rows", "200000,1000,200000"]).sizes).toEqual([1_000, 200_000]);
});

test("the cost family has a JSON output", () => {
  const asked = readArguments(["cost", "--rows", "100000", "--json"]);
  expect(asked).toMatchObject({ families: ["cost"], sizes: [100_000], json: true });
});

describe("invalid arguments are rejected:", () => {
  test.each([
    ["an unknown family", ["costs"], /no family costs; choose cost, speed/],
    ["two families", ["cost", "speed"], /one family or all/],
    ["an unknown option", ["--markdown"], /--markdown/],
    ["an option without its value", ["--rows"], /--rows/],
    ["too few rows", ["--rows", "999"], /from 1000 to 10000000, not "999"/],
    ["too many rows", ["--rows", "10000001"], /not "10000001"/],
    ["rows that are not a number", ["--rows", "1e6"], /not "1e6"/],
    ["an empty size", ["--rows", "1000,"], /not ""/],
    ["JSON of all", ["--json"], /--json works only with cost/],
    ["JSON of another family", ["speed", "--json"], /--json works only with cost/],
    ["moves without growth", ["cost", "--moves", "package.json"], /--moves works only with growth/],
    ["moves that do not exist", ["--moves", "no/such.jsonl"], /does not exist: .*no\/such\.jsonl/],
  ])("%s", (_, args, message) => {
    const read = () => readArguments(args);
    expect(read).toThrow(ArgumentsError);
    expect(read).toThrow(message);
  });
});
