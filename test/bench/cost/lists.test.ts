import { expect, test } from "vitest";
import { readSortableFields } from "../../../bench/cost/lists.ts";
import { newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

test("the error about an unknown order_by lists the fields by which the cost family sorts", async () => {
  const { owner } = await newOrganization();
  const { body } = await callRest("/registry/v2/repos?order_by=nothing", { token: owner.token });
  expect(readSortableFields(JSON.stringify(body))).toEqual([
    ...["uid", "name", "create_time", "update_time"],
  ]);
});

test("another error lists no fields", () => {
  expect(readSortableFields("Unauthenticated: the token is expired; get a new one")).toEqual([]);
});
