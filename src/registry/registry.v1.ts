import { Registry } from "../../schema/gen/platform/registry/registry_pb.js";
import { service } from "../rpc/service.ts";
import { imagesV1 } from "./images/images.v1.ts";
import { manifestsV1 } from "./images/manifests.v1.ts";
import { reposV1 } from "./repos/repos.v1.ts";
import { sbomsV1 } from "./sboms/sboms.v1.ts";
import { eolTagsV1 } from "./tags/eol_tags.v1.ts";
import { tagHistoryV1 } from "./tags/tag_history.v1.ts";
import { tagsV1 } from "./tags/tags.v1.ts";
import { vulnReportsV1 } from "./vuln_reports/vuln_reports.v1.ts";

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
