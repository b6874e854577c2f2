/** A group without findings: its images are clean, or no one has scanned them. */
import { useQuery } from "@tanstack/preact-query";
import type { Client } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { Empty, Loading } from "../elements/states.tsx";

/** Whether an image has a scan report or an SBOM. Null if the person may not see one of the two lists. */
async function isExamined(client: Client, group: string): Promise<boolean | null> {
  const within = { descendantsOf: group, pageSize: 1 };
  const lists = [client.vulnReports.list(within), client.sboms.list(within)];
  const results = await Promise.allSettled(lists.map((list) => list.all(1)));
  if (results.some((result) => result.status === "fulfilled" && result.value.length > 0))
    return true;
  return results.every(({ status }) => status === "fulfilled") ? false : null;
}

export function NothingFound({ group }: { group: string }) {
  const client = useClient();
  const { data, isPending } = useQuery({
    queryKey: ["findings", "examined", group],
    queryFn: () => isExamined(client, group),
  });
  if (isPending) return <Loading lines={3} />;
  if (data === true)
    return (
      <Empty title="No vulnerability is found in the images that were searched">
        <p>
          Images without an SBOM and a scan report are not searched:{" "}
          <a href="/docs/affected-images">store one</a>. <a href="/docs/vulnerabilities">Import</a>{" "}
          records to compare SBOMs with them.
        </p>
      </Empty>
    );
  return (
    <Empty title={data === false ? "No image here has been scanned" : "No finding is visible here"}>
      <p>
        The platform compares SBOMs with records, and reads the reports of scanners.{" "}
        <a href="/docs/affected-images">Store one</a> for an image, and what it shows appears here.
      </p>
    </Empty>
  );
}
