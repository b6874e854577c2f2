/** The holders of capabilities, from the roles that the platform lists for each. */
import { expect, test } from "vitest";
import type { AccessEntry, AccessState } from "../../../client/index.ts";
import { holdersOf } from "../../../console/access/holder.ts";

const entry = (identityUid: string, roleBindingUid: string, state = "EFFECTIVE"): AccessEntry => ({
  ...{ identityUid, roleBindingUid, inherited: false, hidden: false },
  state: `ACCESS_STATE_${state}` as AccessState,
});

const mapping = (provider: string, externalGroupId: string): AccessEntry => ({
  ...{ externalGroupId, inherited: false, hidden: false, state: "ACCESS_STATE_EFFECTIVE" },
  externalGroupRoleMappingUid: `${provider}/0123456789abcdef`,
});

test("a holder of only some of the capabilities is left out", () => {
  const found = holdersOf([[entry("ann", "1"), entry("bob", "2")], [entry("bob", "2")]]);
  expect(found.map(({ key }) => key)).toEqual(["bob"]);
});

test("a holder appears once, with each role once", () => {
  const [holder, ...others] = holdersOf([
    [entry("ann", "1"), entry("ann", "2")],
    [entry("ann", "2"), entry("ann", "3")],
  ]);
  expect(others).toEqual([]);
  expect(holder?.entries.map(({ roleBindingUid }) => roleBindingUid)).toEqual(["1", "2", "3"]);
});

test("the state is that of the best role for each capability, and the worst of all capabilities", () => {
  const stateOf = (...lists: AccessEntry[][]) => holdersOf(lists)[0]?.state;
  const [effective, pending] = [entry("ann", "1"), entry("ann", "2", "PENDING")];
  expect(stateOf([pending, effective])).toBe("ACCESS_STATE_EFFECTIVE");
  expect(stateOf([effective], [pending])).toBe("ACCESS_STATE_PENDING");
  expect(stateOf([effective], [pending, effective])).toBe("ACCESS_STATE_EFFECTIVE");
  expect(stateOf([effective], [entry("ann", "3", "OUT_OF_REACH")])).toBe(
    "ACCESS_STATE_OUT_OF_REACH",
  );
});

test("external groups of the same name at two identity providers are two holders", () => {
  const found = holdersOf([[mapping("a", "staff"), mapping("b", "staff"), mapping("a", "staff")]]);
  expect(found.map(({ externalGroup }) => externalGroup)).toEqual(["staff", "staff"]);
});
