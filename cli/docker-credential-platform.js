#!/usr/bin/env node
import { launch } from "./launch.js";

launch("./credential_helper.ts");
