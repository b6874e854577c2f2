/** The vulnerabilities of a group: what affects its images, which images contain a package, and its advisories. */
import type { ComponentChildren } from "preact";
import { useCurrentGroup } from "../data/group.ts";
import { useParameters } from "../data/parameters.ts";
import { Page, Views } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { Advisories } from "./advisories.tsx";
import { FoundVulnerabilities, type GroupProps } from "./found.tsx";
import { ImportButton } from "./import_button.tsx";
import { PackageSearch } from "./package_search.tsx";

const views: [string, string, (props: GroupProps) => ComponentChildren][] = [
  ["", "In images", FoundVulnerabilities],
  ["packages", "Packages", PackageSearch],
  ["advisories", "Advisories", Advisories],
];

export default function Vulnerabilities() {
  const { uid: group, group: shown } = useCurrentGroup();
  const { get } = useParameters();
  const current = views.find(([view]) => view === get("view")) ?? views[0];
  if (!current) return null;
  const [view, , Content] = current;
  const address = (key: string) => addresses.vulnerabilities(get("group"), key);
  return (
    <Page
      title="Vulnerabilities"
      actions={group !== "" && <ImportButton group={group} name={shown?.name} />}
    >
      <Views
        label="Views of the vulnerabilities"
        current={address(view)}
        views={views.map(([key, text]) => [address(key), text])}
      />
      {group === "" ? <Loading lines={8} /> : <Content group={group} />}
    </Page>
  );
}
