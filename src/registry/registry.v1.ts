import { Registry } from "../../schema/gen/platform/registry/registry_pb.js";
import { service } from "../rpc/service.ts";
import { eolTagsV1 } from "./eol_tags.v1.ts";
import { imagesV1 } from "./images.v1.ts";
import { manifestsV1 } from "./manifests.v1.ts";
import { reposV1 } from "./repos.v1.ts";
import { sbomsV1 } from "./sboms.v1.ts";
import { tagHistoryV1 } from "./tag_history.v1.ts";
import { tagsV1 } from "./tags.v1.ts";
import { vulnReportsV1 } from "./vuln_reports.v1.ts";

export const registryV1 = service(
  Registry,
  {
    ...reposV1,
    ...tagsV1,
    ...eolTagsV1,
    ...tagHistoryV1,
    ...imagesV1,
    ...manifestsV1,
    ...sbomsV1,
    ...vulnReportsV1,
  },
  [
    ...(["getHelm", "getChart", "listChartsByImageRepo"] as const),
    ...(["listBuildReports", "getBuildStatus", "getPackageVersionMetadata"] as const),
    ...(["getUpdateStatus", "getSyncStatus", "listSyncStatuses"] as const),
    ...(["createDeployment", "updateDeployment", "getDeployment"] as const),
    ...(["getRegistrySettings", "updateRegistrySettings"] as const),
  ],
);
