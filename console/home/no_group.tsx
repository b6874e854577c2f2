/** The first page of a person who has no role in an organization yet. */
import { NoOrganization } from "../access/no_organization.tsx";
import { Page } from "../elements/page.tsx";

export default function NoGroup() {
  return (
    <Page title="Home">
      <NoOrganization />
    </Page>
  );
}
