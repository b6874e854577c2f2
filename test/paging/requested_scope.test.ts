/** The scope that a List names, and what a caller sees of it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { UIDPFilterSchema } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import type { Caller } from "../../src/auth/grants.ts";
import {
  narrowed,
  requestedScope,
  singleScope,
  visibleScopes,
} from "../../src/paging/requested_scope.ts";

const org = "a".repeat(40);
const [group, other] = ["1", "2"].map((step) => `${org}/${step.repeat(16)}`) as [string, string];
const below = `${group}/${"3".repeat(16)}`;
const [foreign, shared] = ["b".repeat(40), "c".repeat(40)];

const requested = (filter: MessageInitShape<typeof UIDPFilterSchema>) =>
  requestedScope(create(UIDPFilterSchema, filter));

describe("a filter names", () => {
  test.each<[MessageInitShape<typeof UIDPFilterSchema>, object | undefined]>([
    [{}, undefined],
    [{ descendantsOf: org }, { at: "below", uid: org }],
    [{ childrenOf: org }, { at: "childrenOf", uid: org }],
    [{ ancestorsOf: below }, { at: "ancestorsOf", uid: below }],
    [{ inRoot: true }, { at: "inRoot" }],
    [{ ids: [group, other, group] }, { at: "uids", uids: [group, other] }],
  ])("%j: %j", (filter, scope) => {
    expect(requested(filter)).toEqual(scope);
  });

  test("nothing, if there is none, and not two scopes", () => {
    expect(requestedScope(undefined)).toBeUndefined();
    expect(() => requested({ inRoot: true, ids: [group] })).toThrow("only one of its filters");
  });
});

test.each<[MessageInitShape<typeof UIDPFilterSchema>, boolean, object | undefined]>([
  [{}, false, undefined],
  [{ descendantsOf: group }, true, { uid: group, scope: { at: "below", uid: group } }],
  [{ childrenOf: org }, true, { uid: org, scope: { at: "childrenOf", uid: org } }],
  [{ ids: [group] }, true, { uid: group, scope: { at: "uids", uids: [group] } }],
  [{ ids: [shared] }, false, { uid: shared, scope: { at: "uids", uids: [shared] } }],
  [{ ids: [shared] }, true, undefined],
  [{ ids: [group, other] }, false, undefined],
  [{ ancestorsOf: group }, false, undefined],
  [{ inRoot: true }, false, undefined],
])("%j needs the capability at one uid (shared rows: %j): %j", (filter, isRootShared, single) => {
  expect(singleScope(requested(filter), isRootShared)).toEqual(single);
});

describe("a caller with grants sees", () => {
  const [capability, another] = [1, 2];
  const callerAt = (...groups: string[]): Caller => ({
    ...{ identity: "i", name: "n", act: {} },
    grants: groups.map((at) => ({ group: at, role: "r", capabilities: new Set([capability]) })),
  });
  const seen = (
    groups: string[],
    filter: MessageInitShape<typeof UIDPFilterSchema>,
    rules: { isRootShared?: boolean; isKeyedByGroup?: boolean } = {},
  ) =>
    visibleScopes(callerAt(...groups), [capability], requested(filter), {
      ...{ isRootShared: false, isKeyedByGroup: false, ...rules },
    });

  test.each<[string[], MessageInitShape<typeof UIDPFilterSchema>, object[]]>([
    [[group, foreign], {}, [group, foreign].map((uid) => ({ at: "atOrBelow", uid }))],
    [[group, foreign], { descendantsOf: org }, [{ at: "atOrBelow", uid: group }]],
    [[group], { descendantsOf: other }, []],
    [[group, below, other], { childrenOf: org }, [{ at: "uids", uids: [group, other] }]],
    [[below], { childrenOf: org }, []],
    [[org], { ancestorsOf: below }, [{ at: "uids", uids: [group, org] }]],
    [[group], { ancestorsOf: below }, [{ at: "uids", uids: [group] }]],
    [[below], { ancestorsOf: below }, []],
    [[org, below], { inRoot: true }, [{ at: "uids", uids: [org] }]],
    [[below], { inRoot: true }, []],
    [[group], { ids: [below, other, shared] }, [{ at: "uids", uids: [below] }]],
    [[group], { ids: [other, shared] }, []],
    [[], { ids: [group] }, []],
    [[], {}, []],
  ])("at %j, of %j: %j", (groups, filter, scopes) => {
    expect(seen(groups, filter)).toEqual(scopes);
  });

  test("the rows at root level too, if everyone with the capability shares them", () => {
    const root = { at: "childrenOf", uid: "" };
    const all = { isRootShared: true };
    expect(seen([group], {}, all)).toEqual([root, { at: "atOrBelow", uid: group }]);
    expect(seen([group], { inRoot: true }, all)).toEqual([root]);
    const uids = [below, shared];
    expect(seen([group], { ids: [...uids, other] }, all)).toEqual([{ at: "uids", uids }]);
    expect(seen([], {}, all)).toEqual([]);
  });

  test("no child that is keyed by a group of its own", () => {
    expect(seen([group], { childrenOf: org }, { isKeyedByGroup: true })).toEqual([]);
  });

  test("nothing without the capability", () => {
    const rules = { isRootShared: true, isKeyedByGroup: false };
    expect(visibleScopes(callerAt(org), [another], undefined, rules)).toEqual([]);
  });
});

test("scopes are narrowed to the children of one parent", () => {
  const uids = [group, below];
  const scopes = [
    { at: "below", uid: org },
    { at: "atOrBelow", uid: group },
    { at: "atOrBelow", uid: other },
    { at: "childrenOf", uid: group },
    { at: "childrenOf", uid: org },
    { at: "uids", uids },
    { at: "childrenOfAny", uids },
    { at: "childrenOfAny", uids: [other] },
  ] as const;
  const all = scopes.map((one) => ("uids" in one ? { ...one, uids: [...one.uids] } : one));
  expect(narrowed(all, "")).toEqual(scopes);
  const children = { at: "childrenOf", uid: group };
  expect(narrowed(all, group)).toEqual([
    ...[children, children, children, { at: "uids", uids: [below] }, children],
  ]);
});
