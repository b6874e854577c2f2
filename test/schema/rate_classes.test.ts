import { expect, test } from "vitest";
import { services } from "../../schema/descriptors.ts";
import { httpRules } from "../../schema/options.ts";
import { classOf } from "../../schema/rate_classes.ts";

const classes = services.flatMap(({ typeName, methods }) =>
  methods.map((method) => ({
    name: `${typeName.replace("platform.", "")}/${method.name}`,
    method,
    rateClass: classOf(method),
  })),
);
const named = (rateClass: string) =>
  classes.filter((one) => one.rateClass === rateClass).map(({ name }) => name);

test("every RPC that is not a GET is a write, except for these", () => {
  const others = classes.filter(
    ({ method, rateClass }) => httpRules(method)[0]?.verb !== "get" && rateClass !== "write",
  );
  expect(Object.fromEntries(others.map(({ name, rateClass }) => [name, rateClass]))).toEqual({
    "auth.Auth/Register": "login",
    "iam.access.v2.AccessService/TestPermissions": "read",
    "oidc.SecurityTokenService/Exchange": "exchange",
    "oidc.SecurityTokenService/ExchangeRefreshToken": "exchange",
    "registry.v2.SbomsService/CreateSbom": "import",
    "registry.v2.TagMovesService/ImportTagMoves": "import",
    "registry.v2.VulnReportsService/CreateVulnReport": "import",
    "vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments": "import",
    "vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments": "import",
    "vulnerabilities.v2.OsvRecordsService/ImportOsvRecords": "import",
  });
});

test("a GET of many is a list, and every other GET is a read", () => {
  const lists = classes.filter(({ method }) => /^(List|BatchGet)/.test(method.name));
  expect(named("list")).toEqual(lists.map(({ name }) => name));
  expect(named("list").length).toBeGreaterThan(50);
  expect(named("read").filter((name) => !/\/(Get|Lookup|Ping)/.test(name))).toEqual([
    "auth.Auth/Validate",
    "iam.access.v2.AccessService/TestPermissions",
    "iam.access.v2.AccessService/ExplainAccess",
    "iam.Groups/CheckEligibility",
    "iam.v2.GroupsService/CheckEligibility",
    "iam.v2.SessionsService/SearchSessions",
    "libraries.ResolutionCache/Status",
    "registry.Charts/FindChart",
    "registry.Entitlements/Summary",
    "vulnerabilities.v2.AdvisoryExportsService/ExportAdvisory",
  ]);
  expect(named("login")).toEqual(["auth.Auth/Register", "auth.Auth/GetHeadlessSession"]);
});
