// Imported before `azure-storage`, which is older than the deprecation of `util._extend`.

import util from "node:util";

Object.assign(util, { _extend: Object.assign });
