import { beforeAll, describe, expect, test } from "vitest";
import { ListResolvedVulnsReportsRequestSchema as ResolvedSchema } from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { ListIdentitiesRequestSchema } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { ManifestMetadataFilterSchema } from "../../schema/gen/platform/registry/manifests_pb.js";
import { GetSizeRequestSchema } from "../../schema/gen/platform/registry/v2/images_pb.js";
import {
  ListReposRequestSchema,
  ReposService,
  UpdateRepoRequestSchema,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { ListTagsRequestSchema } from "../../schema/gen/platform/registry/v2/tags_pb.js";
import { queryJson } from "../../src/rpc/query.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, clientOf } from "../world/platform.ts";

type Desc = Parameters<typeof queryJson>[0];

const read = (desc: Desc, query: string) =>
  queryJson(desc, [...new URLSearchParams(query)], `?${query}`);

describe("the keys of a query", () => {
  test.each([
    ["page_size=3", { pageSize: 3 }],
    ["pageSize=3", { pageSize: 3 }],
    ["uidp.descendants_of=a", { uidp: { descendantsOf: "a" } }],
    ["uidp.descendantsOf=a&uidp.in_root=true", { uidp: { descendantsOf: "a", inRoot: true } }],
    ["uidp.ids=a&uidp.ids=b&uidp.ids=a", { uidp: { ids: ["a", "b", "a"] } }],
    ["uidp.ids=a,b", { uidp: { ids: ["a,b"] } }],
    ["name=", { name: "" }],
    ["name=a+b%20c", { name: "a b c" }],
    ["order_by=name%20desc", { orderBy: "name desc" }],
    ["", {}],
    ["&&", {}],
    ["colour=red&uidp.colour=red&name.first=x&PageSize=2&page-size=2", {}],
    ["constructor=x&__proto__=y&uidp.__proto__.x=1&toString=1", {}],
  ])("%s", (query, json) => {
    expect(read(ListReposRequestSchema, query)).toEqual({ json });
  });

  test.each([
    "page_size=1&page_size=2",
    "page_size=1&pageSize=1",
    "name=a&name=a",
    "skip=0&skip=0",
  ])("%s is rejected as given twice", (query) => {
    expect(() => read(ListReposRequestSchema, query)).toThrow(/is given more than once/);
  });

  test("a message is rejected, and so is a text that is not UTF-8", () => {
    expect(() => read(ListReposRequestSchema, "uidp=x")).toThrow(/uidp cannot be sent in a query/);
    for (const query of ["name=%zz", "name=%", "%zz=1", "name=%ff", "x=%C3%28", "a=1&b=%e0%80"]) {
      expect(() => read(ListReposRequestSchema, query)).toThrow(/must be percent-encoded UTF-8/);
    }
  });
});

describe("a repeated message in a query", () => {
  const [python, go] = [{ repo: "python" }, { repo: "go", tags: ["1.26"] }];
  test.each([
    ['image_refs={"repo":"python"}', [python]],
    ['imageRefs={"repo":"python"}&image_refs={"repo":"go","tags":["1.26"]}', [python, go]],
    ["image_refs=python&image_refs=go:1.26", [python, go]],
    ['image_refs=python&image_refs= {"repo":"go","tags":["1.26"],"colour":"red"}', [python, go]],
    ["image_refs=acme/tools/go:1.26", [{ repo: "acme/tools/go", tags: ["1.26"] }]],
    ["image_refs=host.example:5000/acme/go", [{ repo: "host.example:5000/acme/go" }]],
    ["image_refs=host:5000/go:1.26", [{ repo: "host:5000/go", tags: ["1.26"] }]],
    ["image_refs=", [{ repo: "" }]],
  ])("%s", (query, imageRefs) => {
    expect(read(ResolvedSchema, query)).toEqual({ json: { imageRefs } });
  });

  test("without its own short form is JSON only", () => {
    const filter = "items=%7B%22image_digest%22:%22sha256:0%22%7D";
    expect(read(ManifestMetadataFilterSchema, filter)).toEqual({
      json: { items: [{ imageDigest: "sha256:0" }] },
    });
    expect(() => read(ManifestMetadataFilterSchema, "items=sha256:0")).toThrow(
      "items[0] must be a JSON object with the fields of ManifestMetadataFilterEntry",
    );
  });

  test.each([
    ["a JSON that ends early", '{"repo":', "is not JSON"],
    ["a list", '["python"]', "must be a JSON object with the fields of ImageRef"],
    [
      "a text with a digest",
      "python@sha256:0",
      "must be a JSON object with the fields of ImageRef",
    ],
    ["a text with an empty tag", "python:", "must be a JSON object with the fields of ImageRef"],
    ["a text with two tags", "python:1:2", "must be a JSON object with the fields of ImageRef"],
  ])("that is %s is rejected with its position", (_, text, why) => {
    const query = `image_refs=go&image_refs=go&image_refs=${encodeURIComponent(text)}`;
    expect(() => read(ResolvedSchema, query)).toThrow(`image_refs[2]: image_refs[2] ${why}`);
  });
});

describe("the values of a query", () => {
  test.each([
    ["include_dates=true", { includeDates: true }],
    ["includeDates=false", { includeDates: false }],
    ["updated_since=2026-01-01T00:00:00Z", { updatedSince: "2026-01-01T00:00:00Z" }],
  ])("%s", (query, json) => {
    expect(read(ListTagsRequestSchema, query)).toEqual({ json });
  });

  test.each(["1", "0", "True", "TRUE", "yes", "", " true"])("%j is not a boolean", (value) => {
    expect(() => read(ListTagsRequestSchema, `include_dates=${value}`)).toThrow(
      /include_dates must be true or false/,
    );
  });

  test.each([["RELATIONSHIP_TYPE_STATIC"], ["2"]])(
    "an enum can be a name or a number: %s",
    (value) => {
      expect(read(ListIdentitiesRequestSchema, `relationship_type=${value}`)).toEqual({
        json: { relationshipType: "RELATIONSHIP_TYPE_STATIC" },
      });
    },
  );

  test.each(["STATIC", "relationship_type_static", "9", "-1", "02", "", "2.0"])(
    "%j is not a value of the enum",
    (value) => {
      expect(() => read(ListIdentitiesRequestSchema, `relationship_type=${value}`)).toThrow(
        /relationship_type must be one of RELATIONSHIP_TYPE_UNSPECIFIED, /,
      );
    },
  );

  test.each(["x", "", "1.5", "1e3", "0x10", "%201", "%2B1", "1 ", "NaN", "--1", "١"])(
    "%j is not an integer",
    (value) => {
      expect(() => read(ListReposRequestSchema, `page_size=${value}`)).toThrow(
        /page_size must be an integer/,
      );
    },
  );

  test.each(["2147483648", "-2147483649", "99999999999999999999"])(
    "%s is not an int32",
    (value) => {
      expect(() => read(ListReposRequestSchema, `page_size=${value}`)).toThrow(/page_size/);
    },
  );

  test.each(["2147483647", "-2147483648", "0", "-0", "007"])("%s is an int32", (value) => {
    expect(read(ListReposRequestSchema, `skip=${value}`)).toEqual({
      json: { skip: Number(value) },
    });
  });
});

describe("the update mask", () => {
  test.each([
    ["updateMask=name,description", ["name", "description"]],
    ["update_mask=customOverlay.environment", ["customOverlay.environment"]],
    ["updateMask=*", ["*"]],
    ["updateMask=%20name%20,%20description", ["name", "description"]],
  ])("%s", (query, mask) => {
    expect(read(UpdateRepoRequestSchema, query)).toEqual({ json: {}, mask });
  });

  test("an empty value counts as absent", () => {
    expect(read(UpdateRepoRequestSchema, "updateMask=")).toEqual({ json: {} });
  });
});

test("a field of another request is unknown, and is ignored", () => {
  expect(read(GetSizeRequestSchema, "pageSize=nope&architecture=arm64")).toEqual({
    json: { architecture: "arm64" },
  });
});

describe("over the wire", () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await newOrganization();
    for (const name of ["a", "b", "c"]) {
      await createResource(`/registry/v2/repos/${organization.uid}`, organization.owner.token, {
        name,
      });
    }
  });
  const list = (query: string, at = "/registry/v2/repos") =>
    callRest(`${at}?${query}`, { token: organization.owner.token });

  test("camelCase and snake_case keys are read", async () => {
    const names = async (query: string) =>
      (await list(query)).body.repos.map((repo: { name: string }) => repo.name);
    const uid = organization.uid;
    expect(await names(`uidp.descendantsOf=${uid}&pageSize=2&orderBy=name`)).toEqual(["a", "b"]);
    expect(await names(`uidp.descendants_of=${uid}&page_size=2&order_by=name`)).toEqual(["a", "b"]);
  });

  test.each([
    ["page_size=1&page_size=1", "page_size"],
    ["page_size=many", "page_size"],
    ["pageSize=99999999999", "page_size"],
    ["skip=1.5", "skip"],
    ["uidp.in_root=perhaps", "uidp.in_root"],
    ["uidp=x", "uidp"],
    ["name=%zz", "query"],
    [`name=${"a".repeat(256)}`, "name"],
    [`order_by=${"a".repeat(129)}`, "order_by"],
  ])("%s is rejected by the name of the field", async (query, field) => {
    const { status, body } = await list(query);
    expect([status, body.code]).toEqual([400, 3]);
    expect(body.details[1].fieldViolations[0].field).toBe(field);
  });

  test.each(["yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "0", "", "2026-01-01T00:00:00"])(
    "%j is not a time",
    async (value) => {
      const { status, body } = await list(`updated_since=${value}`, "/registry/v2/tags");
      expect([status, body.code]).toEqual([400, 3]);
      expect(body.details[1].fieldViolations[0].field).toBe("updated_since");
    },
  );

  test("a time with an offset is the same instant", async () => {
    const since = encodeURIComponent("2026-01-01T02:00:00+02:00");
    expect((await list(`updatedSince=${since}`, "/registry/v2/tags")).status).toBe(200);
  });

  test("up to a thousand ids are accepted, and no more", async () => {
    const client = clientOf(ReposService, organization.owner.token);
    const ids = Array.from(
      { length: 1001 },
      (_, index) => `${organization.uid}/${index.toString(16).padStart(16, "0")}`,
    );
    const few = ids.slice(0, 100).map((uid) => `uidp.ids=${uid}`);
    expect((await list(few.join("&"))).status).toBe(200);
    expect((await client.listRepos({ uidp: { ids: ids.slice(1) } })).totalCount).toBe(0n);
    await expect(client.listRepos({ uidp: { ids } })).rejects.toThrow(/uidp.ids/);
  });
});
