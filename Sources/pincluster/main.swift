import CCommit
import Glibc
import PinclusterService

exit(Command.run(Array(CommandLine.arguments.dropFirst()), commit: String(cString: ccommit())))
