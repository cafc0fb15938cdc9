# SPDX-License-Identifier: Apache-2.0
"""tests/cli/autopsy_module.py MODULE REPORT IMAGE WORD - runs the module BurinImport against stubs of what Autopsy gives to it.

The stubs take what the public classes take (CarvingResult, TskFileRange, FileManager, IngestJobContext of sleuthkit and autopsy) and
nothing else. Prints name, size and ranges of each file that the module added, tab-separated, and on standard error what it told.
WORD: "", or "cancel": the user cancels. Runs in Python 3 and, as in Autopsy, in Jython.
"""
from __future__ import print_function

import os
import sys
import types

try:
    INTEGERS = (int, long)
    TEXTS = (str, unicode)
except NameError:
    INTEGERS, TEXTS = (int,), (str,)

added, told = [], []


class Stub(object):
    def __init__(self, *values):
        self.values = values


if sys.platform.startswith("java"):
    from java.util import ArrayList
else:
    class ArrayList(list):
        add, get, size = list.append, list.__getitem__, list.__len__


def takes(kinds, values):
    assert len(kinds) == len(values), (kinds, values)
    for kind, value in zip(kinds, values):
        assert isinstance(value, kind) and not isinstance(value, bool), (kind, value)
        if kind == INTEGERS:
            assert -(2**63) <= value < 2**63, value


class TskFileRange(Stub):
    def __init__(self, *values):
        takes((INTEGERS, INTEGERS, INTEGERS), values)
        self.values = values


class CarvedFile(Stub):
    def __init__(self, *values):
        takes((TEXTS, INTEGERS, ArrayList), values)
        assert values[2].size() > 0 and all(isinstance(one, TskFileRange) for one in values[2])
        self.values = values


class CarvingResult(Stub):
    CarvedFile = CarvedFile

    def __init__(self, *values):
        takes((Image, ArrayList), values)
        self.values = values


class FileManager(object):
    def addCarvedFiles(self, result):
        assert isinstance(result, CarvingResult) and 0 < result.values[1].size() <= 5000
        added.extend(result.values[1])
        return ArrayList(result.values[1])


class Image(object):
    def __init__(self, path):
        self.path = path

    def getSize(self):
        return os.path.getsize(self.path)

    def getPaths(self):
        return ["C:\\evidence\\" + os.path.basename(self.path)]


class Context(object):
    def __init__(self, cancelled):
        self.cancelled, self.job = cancelled, 0

    def isJobCancelled(self):
        return self.cancelled

    def addFilesToJob(self, files):
        assert isinstance(files, ArrayList)
        self.job += files.size()


class Panel(object):
    def setLayout(self, layout):
        pass

    def add(self, part):
        pass


class Field(object):
    def __init__(self, text, columns):
        self.text = text

    def getText(self):
        return self.text


class Progress(object):
    def switchToIndeterminate(self):
        pass


class Failure(Exception):
    pass


class Logger(object):
    @staticmethod
    def getLogger(name):
        return Logger()

    def logp(self, level, where, what, text):
        told.append(text)


class Message(object):
    MessageType = type("MessageType", (), {"INFO": "INFO", "ERROR": "ERROR"})

    @staticmethod
    def createMessage(kind, name, text):
        return kind + ": " + text


class Services(object):
    @staticmethod
    def getInstance():
        return Services()

    def postMessage(self, message):
        told.append(message)

    def fireModuleContentEvent(self, event):
        assert isinstance(event.values[0], CarvedFile)


class Case(object):
    @staticmethod
    def getCurrentCase():
        return Case()

    def getServices(self):
        return self

    def getFileManager(self):
        return FileManager()


def stub(name, **names):
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        whole = ".".join(parts[:end])
        if whole not in sys.modules or end == len(parts):
            sys.modules[whole] = sys.modules.get(whole) or types.ModuleType(whole)
    for key, value in names.items():
        setattr(sys.modules[name], key, value)


if not sys.platform.startswith("java"):
    stub("java.lang", IllegalArgumentException=Failure)
    stub("java.util", ArrayList=ArrayList)
    stub("java.util.logging", Level=type("Level", (), {"INFO": 1, "SEVERE": 2}))
stub("javax.swing", BoxLayout=type("BoxLayout", (Stub,), {"Y_AXIS": 1}), JLabel=Stub, JTextField=Field)
stub("org.sleuthkit.autopsy.casemodule", Case=Case)
stub("org.sleuthkit.autopsy.coreutils", Logger=Logger)
stub("org.sleuthkit.autopsy.ingest", DataSourceIngestModule=object, IngestMessage=Message, IngestModuleFactoryAdapter=object,
     IngestModuleIngestJobSettings=object, IngestModuleIngestJobSettingsPanel=Panel, IngestServices=Services, ModuleContentEvent=Stub)
stub("org.sleuthkit.autopsy.ingest.IngestModule", IngestModuleException=Failure)
sys.modules["org.sleuthkit.autopsy.ingest"].IngestModule = sys.modules["org.sleuthkit.autopsy.ingest.IngestModule"]
sys.modules["org.sleuthkit.autopsy.ingest.IngestModule"].ProcessResult = type("ProcessResult", (), {"OK": "OK", "ERROR": "ERROR"})
stub("org.sleuthkit.datamodel", CarvingResult=CarvingResult, TskFileRange=TskFileRange)


def main():
    folder, report, image, word = sys.argv[1:]
    sys.path.insert(0, folder)
    import BurinImport
    factory = BurinImport.BurinImportFactory()
    assert factory.isDataSourceIngestModuleFactory() and factory.hasIngestJobSettingsPanel() and factory.getModuleVersionNumber()
    settings = factory.getDefaultIngestJobSettings()
    panel = factory.getIngestJobSettingsPanel(settings)
    panel.field.text = " " + report + "\n"
    module = factory.createDataSourceIngestModule(panel.getSettings())
    context = Context(word == "cancel")
    try:
        module.startUp(context)
        result = module.process(Image(image), Progress())
        module.shutDown()
        assert context.job == len(added)
    except Failure as error:
        result = "refused: %s" % error
    for found in added:
        name, size, ranges = found.values
        print(name, size, ",".join("%d+%d" % one.values[:2] for one in ranges), sep="\t")
        assert [one.values[2] for one in ranges] == list(range(ranges.size()))
    print(result, file=sys.stderr)
    for text in told:
        print(text, file=sys.stderr)


main()
