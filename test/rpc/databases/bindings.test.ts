import { expect, test } from "vitest";
import type { Env } from "../../../src/config.ts";
import { databasesOf } from "../../../src/rpc/databases.ts";

const bound = (bindings: object) => () => databasesOf({ DB: {}, ...bindings } as unknown as Env);

test("further databases are found by their names, in the order of their numbers", () => {
  const further = { DB_10: {}, DB_2: {}, DB_X: {}, NEW_ORGANIZATIONS: "DB_2" };
  expect([...bound(further)().keys()]).toEqual(["DB", "DB_2", "DB_10"]);
});

test("a database for new organizations that is missing is named", () => {
  expect(bound({ NEW_ORGANIZATIONS: "DB_2" })).toThrow(
    'NEW_ORGANIZATIONS names "DB_2", which is not a database',
  );
});
