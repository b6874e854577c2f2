/** Calls to the registry host, and of tokens: exchanges, and tokens of an issuer in an identity. */
import { type CostCase, pageSize } from "./case.ts";
import { imageRepoUid, organizationOf, robotOf } from "./rows.ts";

const image = "asked.example/named-1/repo-1";
const scope = encodeURIComponent(`repository:${image}:pull`);
const history = (query: string) => `/v2/${image}/_vendor/history/latest${query}`;

const organization = organizationOf("5");
const repo = `/registry/v2/repos/${imageRepoUid(organization)}`;
const repos = `/registry/v2/repos?page_size=${pageSize}`;
const imageOfRobot = `${organization.root}/image`;
const exchange = `/sts/exchange?aud=http://localhost:8787&identity=${robotOf(organization)}`;

export const registryCases: CostCase[] = [
  { name: "registry /v2/", kind: "Get", who: "registry", path: "/v2/" },
  {
    name: "registry token for a pull",
    kind: "Get",
    who: "registry",
    path: `/token?service=localhost:8787&scope=${scope}`,
  },
  {
    name: "registry login with the token of a job",
    kind: "write",
    who: "job",
    user: "oidc",
    path: "/token?service=localhost:8787",
  },
  {
    name: "registry token for a pull, with the token of a job",
    kind: "write",
    who: "job",
    user: "oidc",
    path: `/token?service=localhost:8787&scope=${encodeURIComponent(`repository:${imageOfRobot}:pull`)}`,
  },
  { name: "registry tag history", kind: "Get", who: "registry", path: history("") },
  {
    name: "registry tag history of a day",
    kind: "Get",
    who: "registry",
    path: history("?start=2026-01-02T00:00:00Z&end=2026-01-03T00:00:00Z"),
  },
  {
    name: "registry catalog, a page of ten",
    kind: "List",
    who: "registry",
    path: "/v2/_catalog?n=10",
  },
  {
    name: "registry catalog, a page of ten after a name",
    kind: "List",
    who: "registry",
    path: "/v2/_catalog?n=10&last=asked.example/named-1/repo-3",
  },
  {
    name: "Exchange of our own token",
    kind: "write",
    path: "/sts/exchange?aud=http://localhost:8787",
  },
  { name: "Exchange of a robot's token", kind: "write", who: "robot", path: exchange },
  { name: "GetRepo, token of a robot's issuer", kind: "Get", who: "robot", path: repo },
  { name: "GetRepo, token of a person's issuer", kind: "Get", who: "person", path: repo },
  { name: "ListRepos, token of a person's issuer", kind: "List", who: "person", path: repos },
];
