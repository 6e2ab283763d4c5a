// `fuzz TARGET [libFuzzer's own arguments]`; see scripts/fuzz.
import Glibc

exit(Target.run(CommandLine.unsafeArgv, CommandLine.argc))
