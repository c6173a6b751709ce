import fc from "fast-check";

// Laws that name no seed draw the same cases in every run.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20261125 });
