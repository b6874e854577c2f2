/** The first page: what moved, what needs attention, and what is stored. */
import { Page } from "../elements/page.tsx";

export default function Home() {
  return <Page title="Home">Nothing yet</Page>;
}
