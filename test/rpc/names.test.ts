import { expect, test } from "vitest";
import { plainName, plainPath, wireName } from "../../src/rpc/names.ts";

test.each([
  ["platform.iam.v2.GroupsService", "platform.iam.v2.GroupsService"],
  ["platform.iam.v2beta1.GroupsService", "platform.iam.v2.GroupsService"],
  ["acme.platform.iam.v2beta1.GroupsService", "platform.iam.v2.GroupsService"],
  ["acme.platform.iam.Groups", "platform.iam.Groups"],
  ["acme.acme.platform.iam.Groups", "acme.acme.platform.iam.Groups"],
  ["other.platform.iam.Groups", "other.platform.iam.Groups"],
  ["acme.grpc.health.v1.Health", "acme.grpc.health.v1.Health"],
  ["", ""],
])("the name %j is read as %j", (name, plain) => {
  expect(plainName(name, "acme")).toBe(plain);
});

test.each([
  ["/iam/v2beta1/groups", "/iam/v2/groups"],
  ["/iam/v2beta1/groups/a:v2beta1", "/iam/v2/groups/a:v2beta1"],
  ["/iam/v2beta1x/groups", "/iam/v2beta1x/groups"],
  ["/iam/v2beta1", "/iam/v2beta1"],
  ["/acme.platform.iam.v2beta1.A/B", "/platform.iam.v2.A/B"],
  ["/", "/"],
])("the path %j is %j", (path, plain) => {
  expect(plainPath(path, "acme")).toBe(plain);
});

test("only our own types have the vendor's name", () => {
  expect(wireName("platform.iam.Terms", "acme")).toBe("acme.platform.iam.Terms");
  expect(wireName("google.rpc.ErrorInfo", "acme")).toBe("google.rpc.ErrorInfo");
});
