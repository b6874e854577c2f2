import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Subscription,
  SubscriptionSchema,
} from "../../schema/gen/platform/events/v2/subscriptions_pb.js";
import { type Role, RoleSchema } from "../../schema/gen/platform/iam/v2/roles_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import { parentOf } from "../../src/aip/uid_path.ts";
import { wholeMessage } from "../../src/aip/whole_message.ts";
import type { Call } from "../../src/auth/call.ts";
import { writeCreate } from "../../src/resource/create.ts";
import { resource } from "../../src/resource/resource.ts";
import { maskedUpdate, writeUpdate } from "../../src/resource/update.ts";

const uid = `${"a".repeat(40)}/${"b".repeat(16)}`;
const row = {
  uid,
  name: "reader",
  description: "",
  capabilities: [Capability.CAP_IAM_ROLES_LIST as number],
  createTime: 5,
  updateTime: 7,
};

const role = resource({
  type: "iam/Role",
  schema: RoleSchema,
  table: roles,
  select: (db, wanted) => db.select().from(roles).where(eq(roles.uid, wanted)),
  toMessage: ({ createTime, updateTime, ...rest }: typeof row) =>
    create(RoleSchema, {
      ...rest,
      createTime: timestampFromMs(createTime),
      updateTime: timestampFromMs(updateTime),
    }),
  toColumns: ({ name, description }: Role) => ({
    name,
    description,
    capabilities: [Capability.CAP_IAM_ROLES_LIST as number],
  }),
  otherFields: { accessChanges: "computed" },
  groupOf: parentOf,
});

/** A call that must not use its database. */
const call = { now: 6 } as Call;
const caller = { identity: uid, name: "", act: {}, grants: [] };
const given = (change: Partial<Role>) => create(RoleSchema, change as Role);

test("a result of a mask that breaks a rule of the proto is rejected, even if the field was left out", () => {
  const clear = () => maskedUpdate(call, role, row, given({ uid }), { paths: ["name"] });
  expect(clear).toThrowError(/name/);
});

test("the update time is later than that of the row, even if the clock is not", () => {
  const update = maskedUpdate(call, role, row, given({ uid, name: "other" }), undefined);
  expect(update.after.name).toBe("other");
  expect(update.before.name).toBe("reader");
  expect(update.updateTime).toBe(8);
});

test("an update that changes nothing sends no query and returns the stored resource", async () => {
  const update = maskedUpdate(call, role, row, given({ uid, name: "reader" }), undefined);
  const answer = await writeUpdate(call, role, caller, update);
  expect(answer).toEqual(update.before);
  expect(answer.updateTime).toEqual(timestampFromMs(7));
});

test("a value that cannot be written is a type error", () => {
  const { before, after, updateTime } = maskedUpdate(call, role, row, given({ uid }), undefined);
  const message: Subscription = create(SubscriptionSchema);
  const attempts = () => [
    // @ts-expect-error: nothing has validated it
    writeUpdate(call, role, caller, { row, before, after, updateTime }),
    // @ts-expect-error: it is no role
    writeCreate(call, role, caller, message, { parent: "" }),
    resource({
      ...role,
      table: identities,
      // @ts-expect-error: identities have no capabilities
      toColumns: () => ({ name: "", capabilities: [Capability.CAP_IAM_ROLES_LIST as number] }),
    }),
    writeCreate(
      call,
      resource({
        ...{ ...role, table: identities, toColumns: () => ({ name: "" }) },
        otherFields: { capabilities: "name", description: "name", accessChanges: "computed" },
      }),
      caller,
      after,
      // @ts-expect-error: an identity's row needs the time when it was last seen
      { parent: "" },
    ),
  ];
  expect(attempts).toBeTypeOf("function");
});

test("a field that is not mapped is a type error", () => {
  const { createTime, updateTime } = create(RoleSchema);
  const allButOne = { name: "", capabilities: [] };
  const attempts = () => [
    // @ts-expect-error: the description is missing
    wholeMessage(RoleSchema, {
      ...allButOne,
      uid,
      accessChanges: undefined,
      createTime,
      updateTime,
    }),
    resource({
      ...{ ...role, toColumns: () => allButOne },
      // @ts-expect-error: no column has the description
      otherFields: { accessChanges: "computed" },
    }),
    resource({
      ...{ ...role, toColumns: () => allButOne },
      // @ts-expect-error: the column is not written
      otherFields: { accessChanges: "computed", description: "description" },
    }),
    resource({
      ...role,
      // @ts-expect-error: the name is a column
      otherFields: { accessChanges: "computed", name: "computed" },
    }),
  ];
  expect(attempts).toBeTypeOf("function");
});
