import { describe, expect, test } from "vitest";
import { type Sorting, times } from "../../src/paging/listing.ts";
import { readOrder } from "../../src/paging/order.ts";
import { createResource, newOrganization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

const sorting: Sorting<Record<"uid" | "name" | "createTime" | "updateTime", unknown>> = {
  orders: { uid: "uid", name: "name", ...times },
  defaultOrder: "uid",
};
const read = (orderBy: string) => readOrder(orderBy, sorting);

test.each([
  ["", "uid", false],
  ["  ", "uid", false],
  ["name", "name", false],
  ["name asc", "name", false],
  ["name desc", "name", true],
  ["name  DESC", "name", true],
  [" name desc ", "name", true],
  ["created_at", "create_time", false],
  ["created_at desc", "create_time", true],
  ["createdAt desc", "create_time", true],
  ["create_time", "create_time", false],
  ["createTime desc", "create_time", true],
  ["updated_at desc", "update_time", true],
  ["updatedAt", "update_time", false],
  ["update_time", "update_time", false],
  ["updateTime desc", "update_time", true],
])("%j sorts by %s", (text, field, descending) => {
  expect(read(text)).toEqual({ field, descending });
});

test.each([
  "name down",
  "name desc desc",
  "name, uid",
  "name,uid",
  "name desc, uid",
  "names",
  "NAME",
  "description",
  "uid;drop table repos",
  "constructor",
  "__proto__",
  "desc",
])("order_by %j is rejected", (text) => {
  expect(() => read(text)).toThrow(/Invalid argument: order_by: /);
});

describe("over the wire", () => {
  test("different spellings of a time give one order, and the error for an unknown field names the sortable fields", async () => {
    const { uid, owner } = await newOrganization();
    for (const name of ["b", "c", "a"]) {
      await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
    }
    const list = (order: string, key = "order_by") =>
      callRest(`/registry/v2/repos?${new URLSearchParams({ [key]: order })}`, {
        token: owner.token,
      });
    const names = async (order: string, key?: string) =>
      (await list(order, key)).body.repos.map((repo: { name: string }) => repo.name);
    for (const time of ["created_at", "create_time", "createTime"]) {
      expect(await names(`${time} desc`)).toEqual(["a", "c", "b"]);
      expect(await names(time, "orderBy")).toEqual(["b", "c", "a"]);
    }
    const encoded = await callRest("/registry/v2/repos?order_by=name%20desc", {
      token: owner.token,
    });
    expect(encoded.body.repos[0].name).toBe("c");
    const plus = await callRest("/registry/v2/repos?order_by=name+desc", { token: owner.token });
    expect(plus.body.repos[0].name).toBe("c");
    const { status, body } = await list("color");
    expect([status, body.code]).toEqual([400, 3]);
    expect(body.details[1].fieldViolations).toEqual([
      {
        field: "order_by",
        description:
          'order_by must begin with one of uid, name, create_time, update_time; you sent "color"',
      },
    ]);
    expect((await list("x".repeat(129))).body.details[1].fieldViolations[0].field).toBe("order_by");
  });

  test("role bindings can be sorted by identity and role, and not by a name", async () => {
    const { owner } = await newOrganization();
    const status = async (order: string) =>
      (await callRest(`/iam/v2/roleBindings?order_by=${order}`, { token: owner.token })).status;
    expect(await status("identity")).toBe(200);
    expect(await status("role%20desc")).toBe(200);
    expect(await status("name")).toBe(400);
  });
});
